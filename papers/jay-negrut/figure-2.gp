name = "figure-2"; width = 620; height = 520
load "style.gp"
set logscale xy
set format "10^{%T}"
set xlabel "h (steps h/3 and 2h/3 in turn)"
set ylabel "error at t = 1, 2-norm"
set key bottom right
set xrange [6e-4:0.15]
set yrange [1e-9:1e-1]
plot "figure-2.dat" using 1:2 with linespoints ls 1 title "y", \
     "" using 1:3 with linespoints ls 2 title "z", \
     "" using 1:4 with linespoints ls 3 title "a", \
     "" using 1:5 with linespoints ls 4 title "λ", \
     "" using 1:6 with linespoints ls 5 title "ψ", \
     [8e-4:0.1] 0.2 * x with lines ls 9 title "slopes 1 and 2", \
     [8e-4:0.1] 0.15 * x**2 with lines ls 9 notitle
