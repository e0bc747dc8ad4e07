name = "figure-6"; width = 720; height = 400
load "style.gp"
set xlabel "t [s]"
set ylabel "x_3 [m]"
set yrange [-1.05:*]
set key outside top center horizontal
plot "figure-6.dat" using 1:5 with lines ls 8 title "exact", \
     "" using 1:2 with lines ls 2 title "ResidualAlpha", \
     "" using 1:3 with lines ls 3 title "LinearAlpha", \
     "" using 1:4 with lines ls 1 title "GeometricAlpha"
