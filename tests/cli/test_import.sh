# nutate import: one blade in three formats is one model; turbines; what files get wrong.
. "$(dirname "$0")/common.sh"

# A uniform blade of 10 m: EI 1e5 and 4e5 N m2, 5 kg/m, so 0.7913 and 1.5826 Hz.
triangle="1e7, 0, 0, 0, 0, 0, 1e7, 0, 0, 0, 0, 1e8, 0, 0, 0, 4e5, 0, 0, 1e5, 0, 2e5"
inertia="5, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0.02, 0, 0, 0.01, 0, 0.03"
cat >old.yaml <<END
name: Old
assembly: {number_of_blades: 3, hub_height: 30}
components:
  blade:
    elastic_properties_mb:
      six_x_six:
        reference_axis:
          x: {grid: [0, 1], values: [0, 0]}
          y: {grid: [0, 1], values: [0, 0]}
          z: {grid: [0, 0.5, 1], values: [0, 5, 10]}
        twist: {grid: [0, 1], values: [0.1, 0.1]}
        stiff_matrix: {grid: [0, 0.5, 1], values: [[$triangle], [$triangle], [$triangle]]}
        inertia_matrix: {grid: [0, 0.5, 1], values: [[$inertia], [$inertia], [$inertia]]}
  hub: {diameter: 2, cone_angle: 0.05}
  nacelle: {drivetrain: {uptilt: 0.1, distance_tt_hub: 1, overhang: 2}}
  tower:
    outer_shape_bem:
      reference_axis:
        x: {grid: [0, 1], values: [0, 0]}
        y: {grid: [0, 1], values: [0, 0]}
        z: {grid: [0, 1], values: [0, 29]}
      outer_diameter: {grid: [0, 1], values: [2, 1]}
    internal_structure_2d_fem:
      layers: [{name: wall, material: steel, thickness: {grid: [0, 1], values: [0.02, 0.01]}}]
materials: [{name: steel, E: 2e11, nu: 0.3, rho: 7850}]
control: {torque: {VS_maxspd: 2}}
END
{
    echo "windIO_version: '2.0'"
    echo "components:"
    echo "  blade:"
    echo "    reference_axis: {x: {grid: [0, 1], values: [0, 0]}, y: {grid: [0, 1], values: [0, 0]},"
    echo "                     z: {grid: [0, 0.5, 1], values: [0, 5, 10]}}"
    echo "    outer_shape: {twist: {grid: [0, 1], values: [5.729577951308232, 5.729577951308232]}}"
    echo "    structure:"
    echo "      elastic_properties:"
    echo "        stiffness_matrix:"
    echo "          grid: [0, 0.5, 1]"
    for i in 1 2 3 4 5 6; do
        for j in $(seq $i 6); do
            case $i$j in 11 | 22) k=1e7 ;; 33) k=1e8 ;; 44) k=4e5 ;; 55) k=1e5 ;; 66) k=2e5 ;; *) k=0 ;; esac
            echo "          K$i$j: [$k, $k, $k]"
        done
    done
    echo "        inertia_matrix: {grid: [0, 1], mass: [5, 5], cm_x: [0, 0], cm_y: [0, 0], i_edge: [0.02, 0.02],"
    echo "                         i_flap: [0.01, 0.01], i_plr: [0.03, 0.03], i_cp: [0, 0]}"
} >new.yaml
cat >blade.inp <<'END'
------- BEAMDYN INPUT
A blade
---------------------- GEOMETRY PARAMETER
   1   member_total - (-)
   3   kp_total     - (-)
   1   3            - member, key points
   kp_xr kp_yr kp_zr initial_twist
   (m)   (m)   (m)   (deg)
   0 0 0   5.729577951308232
   0 0 5   5.729577951308232
   0 0 10  5.729577951308232
---------------------- MESH PARAMETER
   5   order_elem   - (-)
---------------------- MATERIAL PARAMETER
"of blade.dat"  BldFile - name
END
{
    printf -- "------- BLADE\nA blade\n------- PARAMETERS\n 2 station_total - (-)\n 0 damp_type - (-)\n"
    printf -- "------- DAMPING\n mu1 mu2 mu3 mu4 mu5 mu6\n (-) (-)\n 0.1 0.1 0.1 0.1 0.1 0.1\n------- PROPERTIES\n"
    for at in 0 1; do
        printf " %s\n" $at
        printf "%s\n" "1e7 0 0 0 0 0" "0 1e7 0 0 0 0" "0 0 1e8 0 0 0" "0 0 0 4e5 0 0" "0 0 0 0 1e5 0" "0 0 0 0 0 2e5" ""
        printf "%s\n" "5 0 0 0 0 0" "0 5 0 0 0 0" "0 0 5 0 0 0" "0 0 0 0.02 0 0" "0 0 0 0 0.01 0" "0 0 0 0 0 0.03" ""
    done
} >"of blade.dat"

frequency() { # FILE ROW EXPECTED
    "$nutate" modes "$1" -o - 2>err | awk -F, -v row="$2" -v wanted="$3" \
        'NR == row + 1 { off = $2/wanted - 1; exit off > 2e-3 || off < -2e-3 }' || fail "$1: mode $2 is not at $3 Hz"
}
expect 0 import windio old.yaml --part blade -o a.yaml
expect 0 import windio new.yaml -o b.yaml
expect 0 import beamdyn blade.inp -o c.yaml
for model in a b c; do
    expect 0 check $model.yaml
    frequency $model.yaml 1 0.7913
    frequency $model.yaml 2 1.5826
done
expect 0 run c.yaml --duration 0.02 -o c.csv

expect 0 import windio old.yaml -o turbine.yaml
says "no mass of the hub: 1 kg is written" "no mass of the nacelle"
expect 0 check turbine.yaml
prints "joints 6"
expect 0 run turbine.yaml --duration 0.05 -o turbine.csv
expect 0 import windio old.yaml --part rotor -o rotor.yaml
expect 0 run rotor.yaml --duration 0.05 -o rotor.csv --set pitch=0.1 --set speed=1
expect 0 import windio old.yaml --part blade -o -
prints "sections: &blade"

sed 's/4e5, 0, 0, 1e5/4e5, 3e5, 0, 1e5/g' old.yaml >left_out.yaml # all three; then none is left
expect 2 import windio left_out.yaml -o x.yaml
says "no station of the blade is a section"
awk '/stiff_matrix/ { sub(/4e5, 0, 0, 1e5/, "4e5, 3e5, 0, 1e5") } 1' old.yaml >one.yaml
expect 0 import windio one.yaml --part blade -o x.yaml
says "station 0: the stiffness matrix is not positive definite" "the station is left out"
sed 's/grid: \[0, 0.5, 1\], values: \[\[/grid: [0, 0.7, 0.5], values: [[/' old.yaml >falls.yaml
expect 2 import windio falls.yaml -o x.yaml
says "falls.yaml:12:" "numbers from 0 to 1 that rise"
sed '/twist/d' old.yaml >lacks.yaml
expect 2 import windio lacks.yaml -o x.yaml
says "lacks 'twist'"
sed 's/, 2e5\], \[/], [/' old.yaml >short.yaml
expect 2 import windio short.yaml -o x.yaml
says "short.yaml:12:" "expected a list of 21 numbers"
sed 's/2 station_total/3 station_total/' "of blade.dat" >long.dat
sed 's/of blade.dat/long.dat/' blade.inp >long.inp
expect 2 import beamdyn long.inp -o x.yaml
says "long.dat:" "the file ends before it is complete"
sed 's/2 station_total/1 station_total/' "of blade.dat" >more.dat
sed 's/of blade.dat/more.dat/' blade.inp >more.inp
expect 2 import beamdyn more.inp -o x.yaml
says "there is more in the file than station_total says"
expect 4 import beamdyn missing.inp -o x.yaml
expect 2 import fast old.yaml -o x.yaml
says "there is no format 'fast', expected windio or beamdyn"
expect 2 import windio old.yaml
says "import needs -o MODEL"
expect 2 import windio old.yaml --part nose -o x.yaml
says "expected blade, rotor or turbine"
finish
