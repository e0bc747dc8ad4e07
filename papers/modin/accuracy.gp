name = "accuracy"; width = 900; height = 420
load "style.gp"
set multiplot layout 1, 2 margins 0.08, 0.98, 0.14, 0.93 spacing 0.08, 0
set logscale xy
set format "10^{%L}"
set ylabel "error"
set xlabel "evaluations of all contacts, a tangent as 12"
set key bottom left
array file[6] = ["paper", "second-order", "bdf", "bdf-penalty", "dop853", "alpha"]
array what[6] = ["semi-explicit", "semi-explicit-2", "bdf", "bdf, drive by penalty", "rkmk-dop853", \
    "generalized-alpha"]
plot for [i = 1:6] file[i].".dat" using 5:2 with linespoints ls i title what[i]
unset key
unset ylabel
set xlabel "time [ms]"
plot for [i = 1:6] file[i].".dat" using 6:2 with linespoints ls i
unset multiplot
