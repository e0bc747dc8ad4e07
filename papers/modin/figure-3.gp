name = "figure-3"; width = 760; height = 820
load "style.gp"
set multiplot layout 4, 1 margins 0.08, 0.98, 0.06, 0.94 spacing 0.02, 0.055
set yrange [-1.4:1.4]
set xrange [0:30]
set ylabel "q [m], v [m/s]"
set key outside top center horizontal
set title "exact" offset 0, -0.7
plot "figure-3-exact.dat" using 1:2 with lines ls 1 title "q_1", "" using 1:3 with lines ls 2 title "q_2", \
     "" using 1:4 with lines ls 1 dt 2 title "v_1", "" using 1:5 with lines ls 2 dt 2 title "v_2"
unset key
set title "semi-explicit, β = 0.8, h = 1"
plot "figure-3-semi-explicit.dat" using 1:2 with linespoints ls 1, "" using 1:3 with linespoints ls 2, \
     "" using 1:4 with lines ls 1 dt 2, "" using 1:5 with lines ls 2 dt 2
set title "θ method, θ = 0.5, h = 1"
plot "figure-3-theta-0.5.dat" using 1:2 with linespoints ls 1, "" using 1:3 with linespoints ls 2, \
     "" using 1:4 with lines ls 1 dt 2, "" using 1:5 with lines ls 2 dt 2
set title "θ method, θ = 0.8, h = 1"
set xlabel "t [s]"
plot "figure-3-theta-0.8.dat" using 1:2 with linespoints ls 1, "" using 1:3 with linespoints ls 2, \
     "" using 1:4 with lines ls 1 dt 2, "" using 1:5 with lines ls 2 dt 2
unset multiplot
