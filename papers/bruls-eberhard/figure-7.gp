name = "figure-7"; width = 720; height = 400
load "style.gp"
set xlabel "t [s]"
set ylabel "λ_1 [N]"
set key outside top center horizontal
plot "figure-7.dat" using 1:5 with lines ls 8 title "exact", \
     "" using 1:2 with linespoints ls 2 title "ResidualAlpha", \
     "" using 1:3 with linespoints ls 3 title "LinearAlpha", \
     "" using 1:4 with linespoints ls 1 title "GeometricAlpha"
