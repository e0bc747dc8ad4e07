name = "figure-6"; width = 820; height = 760
load "style.gp"
set multiplot layout 3, 2 columnsfirst margins 0.1, 0.98, 0.08, 0.95 spacing 0.1, 0.05
set xrange [0:0.6]
unset key
do for [i = 1:2] {
    data = i == 1 ? "figure-6-bdf.dat" : "figure-6.dat"
    set title (i == 1 ? "BDF" : "semi-explicit, h = 1 µs") offset 0, -0.7
    unset xlabel
    set ylabel (i == 1 ? "ball on outer ring [N]" : "")
    set yrange [*:*]
    plot data using ($1 * 1000):2 with lines ls i
    unset title
    set ylabel (i == 1 ? "ball on cage [N]" : "")
    plot data using ($1 * 1000):3 with lines ls i
    set ylabel (i == 1 ? "cage [rad/s]" : "")
    set xlabel "t [ms]"
    plot data using ($1 * 1000):4 with lines ls i
}
unset multiplot
