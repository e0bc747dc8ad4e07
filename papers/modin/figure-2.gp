name = "figure-2"; width = 620; height = 520
load "style.gp"
set xlabel "hc"
set ylabel "h^2k"
set xrange [0:2.2]
set yrange [0:4.4]
set key top right
set label "stable, oscillatory" at 0.4, 1.6 textcolor rgb "#555555"
set label "stable, not oscillatory" at 1.15, 0.14 textcolor rgb "#555555"
plot "figure-2.dat" using 2:1 with points ls 1 title "edge of stability, measured", \
     "" using 4:1 with points ls 1 notitle, \
     "" using 3:1 with lines ls 9 dt 1 title "theorem 3", \
     "" using 5:1 with lines ls 9 dt 1 notitle, \
     "" using 6:1 with points ls 2 title "critical damping, measured", \
     "" using 7:1 with lines ls 9 title "corollary 4", \
     "" using ($8 <= 2.2 ? $8 : NaN):1 with lines ls 8 title "of the exact flow"
