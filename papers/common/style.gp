# What all figures share. Draw one with: gnuplot -e "format = 'svg'" figure-1.gp   (or 'png', 'pdf')
if (!exists("format")) format = "svg"
if (format eq "png") {
    set terminal pngcairo size width * 1.5, height * 1.5 font "DejaVu Sans,15" linewidth 1.5 background rgb "white"
} else { if (format eq "pdf") {
    set terminal pdfcairo size width / 96.0, height / 96.0 font "DejaVu Sans,9" background rgb "white"
} else {
    set terminal svg size width, height font "DejaVu Sans,13" background rgb "white"
} }
set output name.".".format

# Colours that differ for colour-blind readers too (Okabe & Ito), marks that differ in print.
set style line 1 lc rgb "#0072b2" lw 1.6 pt 5 ps 0.7
set style line 2 lc rgb "#d55e00" lw 1.6 pt 7 ps 0.7
set style line 3 lc rgb "#009e73" lw 1.6 pt 9 ps 0.8
set style line 4 lc rgb "#cc79a7" lw 1.6 pt 11 ps 0.8
set style line 5 lc rgb "#e69f00" lw 1.6 pt 13 ps 0.8
set style line 6 lc rgb "#56b4e9" lw 1.6 pt 4 ps 0.7
set style line 8 lc rgb "#222222" lw 1.2 dt 3
set style line 9 lc rgb "#888888" lw 1.2 dt 2

set border lw 0.8
set tics nomirror
set grid lc rgb "#dddddd" lw 0.6 dt 1
set key spacing 1.2 samplen 2.5
