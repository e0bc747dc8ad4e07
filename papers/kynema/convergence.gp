name = "convergence"; width = 620; height = 560
load "style.gp"
set logscale xy
set format "10^{%T}"
set xlabel "h [s]"
set ylabel "error at t = 0.5 s"
set key outside top center horizontal maxcols 3
set xrange [1e-4:6e-3]
plot "convergence.dat" using 1:2 with linespoints ls 1 title "position [m]", \
     "" using 1:3 with linespoints ls 2 title "orientation", \
     "" using 1:4 with linespoints ls 3 title "velocity [m/s]", \
     "" using 1:5 with linespoints ls 4 title "angular velocity [rad/s]", \
     "" using 1:6 with linespoints ls 5 title "reaction [N]", \
     [1.2e-4:4e-3] 1e4 * x**2 with lines ls 9 title "slope 2"
