name = "figure-5"; width = 760; height = 640
load "style.gp"
set multiplot layout 3, 1 margins 0.11, 0.98, 0.08, 0.96 spacing 0.02, 0.06
set xrange [0:10]
set ylabel "|q| - 1 [m]"
set format y "%.3f"
unset key
set title "semi-explicit, β = 0.6" offset 0, -0.7
plot "figure-5.dat" using 1:2 with lines ls 1 lw 1
set title "θ method, θ = 0.5"
plot "figure-5.dat" using 1:3 with lines ls 2 lw 1
set title "θ method, θ = 0.6"
set xlabel "t [s]"
plot "figure-5.dat" using 1:4 with lines ls 3 lw 1
unset multiplot
