name = "figure-1"; width = 760; height = 1110
load "style.gp"
set multiplot layout 3, 2 margins 0.09, 0.98, 0.05, 0.945 spacing 0.11, 0.065
set size ratio -1
set xrange [-1.15:1.15]
set yrange [-1.15:1.15]
set xlabel "x" offset 0, 0.6
set ylabel "y" offset 1.5, 0
set xtics 0.5
set ytics 0.5
set key at screen 0.53, 0.99 center horizontal
methods = "AKW SW LIEMID[I] LIEMID[EA] EMID1 EMID2"
panels = "a b c d + +"
do for [i = 1:6] {
    panel = word(panels, i)
    set title (panel eq "+" ? "" : "(".panel.") ").word(methods, i) offset 0, -0.6
    if (i == 2) { unset key }
    plot "figure-1-exact.dat" using 2:3 with lines ls 8 title "exact", \
         "figure-1.dat" using 2*i:2*i+1 with linespoints ls 1 lw 1 title "h = 0.1 s"
}
unset multiplot
