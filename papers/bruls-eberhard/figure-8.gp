name = "figure-8"; width = 620; height = 520
load "style.gp"
set logscale xy
set format "10^{%T}"
set xlabel "h [s]"
set ylabel "relative error of x at t = 0.1 s"
set key bottom right
set xrange [2e-5:6e-3]
plot "figure-8.dat" using 1:2 with linespoints ls 2 title "ResidualAlpha", \
     "" using 1:4 with linespoints ls 1 title "GeometricAlpha", \
     "" using 1:3 with linespoints ls 3 title "LinearAlpha", \
     [3e-5:4e-3] 3.0 * x with lines ls 9 title "slopes 1 and 2", \
     [3e-5:4e-3] 150 * x**2 with lines ls 9 notitle
