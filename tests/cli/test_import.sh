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
says "no mass of the hub: 1 kg is written" "no mass of the nacelle" \
    "no outfitting_factor of the tower: 1 is taken" "no orientation of the rotor: upwind is taken"
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
says "long.dat:" "the file ends: expected 1 number"
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

# What BeamDyn's files get wrong: NAME, how the primary file is changed, the other one, what is said.
of_beamdyn() {
    sed "$2; s/of blade.dat/$1.dat/" blade.inp >"$1.inp"
    sed "$3" "of blade.dat" >"$1.dat"
    expect 2 import beamdyn "$1.inp" -o x.yaml
    says "$4"
}
of_beamdyn short 's/3   kp_total/2   kp_total/; s/1   3 /1   2 /' '' "short.inp:11:4: there are more key points than kp_total says, expected 2"
of_beamdyn members 's/1   3 /1   7 /' '' "members.inp:6:8: the members have 7 key points in all, expected 3 as kp_total says"
of_beamdyn wide 's/0 0 5 /0 0 5 1 /' '' "wide.inp:10:14: expected 4 numbers, got more"
of_beamdyn radian 's/(deg)/(rad)/' '' "radian.inp:8:22: expected the twist in degrees"
of_beamdyn order 's/5   order_elem/0   order_elem/' '' "order.inp:13:4: order_elem is 0, expected a whole number from 1"
of_beamdyn modal '' 's/0 damp_type/2 damp_type/' "modal.dat:5:2: damp_type is 2, expected a whole number from 0 to 1"
of_beamdyn grows '' 's/0 damp_type/1 damp_type/; s/ 0.1 0.1/ -0.1 -0.1/' "grows.dat:9:2: damping is negative, expected a factor from 0 on"
of_beamdyn seven '' 's/^0 1e7 0 0 0 0/& 0/' "seven.dat:13:15: expected 6 numbers, got more"
of_beamdyn uneven '' 's/^0 5 0 0 0 0/0 7 0 0 0 0/' "uneven.dat:11:2: no station is a section: station 0: mass is not that of a body"
of_beamdyn soft '' 's/^0 0 0 0 1e5 0/0 0 0 0 -1e5 0/' "soft.dat:11:2: no station is a section: station 0: the stiffness matrix is not positive definite"
of_beamdyn steel '' 's/^0 0 0 0 1e5 0/0 0 0 0 1e30 0/' "steel.dat:11:2: no station is a section: station 0: stiffness about the line is so large"
of_beamdyn twice 's/5   order_elem.*/&\n   9   order_elem   - (-)/' '' "twice.inp:14:8: order_elem is given a second time"
of_beamdyn files '$a "other.dat"  BldFile - name' '' "BldFile is given a second time"
of_beamdyn far 's/^   0 0 5 /   1e300 0 5 /' '' "far.inp:10:1: the way to this key point is too long"
of_beamdyn across 's/^   0 0 5 /   1e30 0 5 /' '' "across.inp:10:1: x of this key point is 1e+30 m from that of the first one, expected 10 m at most"
of_beamdyn long_line 's/^   0 0 10 /   0 0 1e9 /' '' "expected 10000 m at most: no blade is longer"
of_beamdyn actuator '$a maybe  UsePitchAct - (flag)' '' "actuator.inp:16:1: UsePitchAct: expected True or False"
of_beamdyn stiff '' 's/0 damp_type/1 damp_type/; s/ 0.1 0.1/ 1e30 0.1/' "stiff.dat:9:2: damping is beyond 1000 s"
of_beamdyn turned 's/^   0 0 5 .*/   0 0 5 1e30/' '' "turned.inp:10:10: the twist is beyond a full turn, expected -360 to 360 degrees"
of_beamdyn words '' 's/^0 0 1e8 0 0 0/0 0 1e8m 0 0 0/' "words.dat:14:5: expected 6 numbers, got '1e8m' as number 3"
of_beamdyn few '' 's/^0 0 1e8 0 0 0/0 0 1e8 0/' "few.dat:14:10: expected 6 numbers, got 4"
of_beamdyn below 's/^   0 0 10 /   0 0 4 /' '' "below.inp:11:8: z of this key point is 4, expected more than 5"
of_beamdyn nameless '/BldFile/d' '' "the file ends without 'BldFile': expected a line with its value, then this name"
sed 's/of blade.dat/part.dat/' blade.inp >part.inp
sed 's/^ 1$/ 0.8/; s/^0 0 0 0 0 0.03/0 0 0 0 0 0.3/' "of blade.dat" >part.dat
expect 0 import beamdyn part.inp -o x.yaml
says "sections are given from station 0 to 0.8" "part.dat:11:2: station 0: the moment of inertia about the line is 0.3 kg m"
sed 's/of blade.dat/half.dat/' blade.inp >half.inp
sed '26,$s/^0 0 0 0 1e5 0/0 0 0 0 -1e5 0/' "of blade.dat" >half.dat
expect 0 import beamdyn half.inp -o x.yaml
says "half.dat:26:2: station 1: the stiffness matrix is not positive definite" "the station is left out"

# A section that the model refuses is none: EI of 1e27 N m^2 is more than 10 m can have.
sed 's/of blade.dat/tight.dat/' blade.inp >tight.inp
sed '26,$s/^0 0 0 0 1e5 0/0 0 0 0 1e27 0/' "of blade.dat" >tight.dat
expect 0 import beamdyn tight.inp -o x.yaml
says "tight.dat:26:2: station 1: stiffness about the line is so large" "the station is left out"
expect 0 check x.yaml

# What no model is made of is told, an actuator apart.
sed '1,/GEOMETRY/ { /GEOMETRY/i True Echo - (flag)\n0.0 rhoinf - (-)
}
    $a True UsePitchAct - (flag)\n2E+07 PitchK - stiffness\n     OutList - names\n"TipTDxr, RootFxr"\n  5 NotThis - (-)' \
    blade.inp >all.inp
expect 0 import beamdyn all.inp -o x.yaml
says "all.inp:18: UsePitchAct is true, but of the actuator nothing is taken" \
    "not taken: Echo, rhoinf, UsePitchAct, PitchK"
if grep -q "PitchK,\|NotThis" err; then fail "outputs are told as entries"; fi
sed 's/True UsePitchAct/False UsePitchAct/' all.inp >none.inp
expect 0 import beamdyn none.inp -o x.yaml
if grep -q "is true" err; then fail "an actuator that is not used is told"; fi

# And windIO's: NAME, of which file, how it is changed, what is said.
of_windio() {
    sed "$3" "$2.yaml" >"$1.yaml"
    expect 2 import windio "$1.yaml" -o x.yaml
    says "$4"
}
of_windio first new "s/'2.0'/'1.0'/" "but the blade is laid out as in version 2"
of_windio second old '1i windIO_version: 2.0' "but the blade is laid out as in version 1"
of_windio lower new 's/K12: .*/&\n          K21: [9, 9, 9]/' "has no entry 'K21'"
of_windio moment new 's/i_cp: /i_xy: [1, 1], &/' "inertia_matrix has no entry 'i_xy'"
of_windio grid new 's/z: {grid: \[0, 0.5, 1\]/z: {grid: [0, 0.5, 0.9]/' "z from grid 0 to 0.9, expected from 0 to 1"
of_windio mu new 's/inertia_matrix:/structural_damping: {mu: [-1, 0, 0, 0, 0, 0]}\n        &/' "mu is -1"
of_windio hub old 's/diameter: 2,/diameter: -2,/' "the hub's diameter is -2"
of_windio downwind old 's/{number/{rotor_orientation: Downwind, number/' "expected upwind"
of_windio wall old 's/\[0.02, 0.01\]/[0.02, 0.6]/' "the tower's wall is 0.6 m at grid 1 of a diameter of 1 m"
of_windio hubmass old 's/hub: {/&elastic_properties_mb: {system_mass: -1, system_inertia: [1, 1, 1]}, /' \
    "the hub has a mass of -1 kg"
of_windio axis old 's/^          y: {grid: \[0, 1\], values: \[0, 0\]}/&\n          w: 3/' "reference_axis, of x, y and z, has no entry 'w'"
of_windio curve old 's/twist: {/&degrees: [5, 5], /' "twist has no entry 'degrees'"
of_windio matrix old 's/stiff_matrix: {/&mass: 3, /' "stiff_matrix has no entry 'mass'"
of_windio more old 's/stiff_matrix:/stiffness: 3\n        &/' "six_x_six has no entry 'stiffness'"
of_windio soft old 's/E: 2e11/E: -2e11/' "E is -2e+11, expected a number between 0 and 1e+13"
of_windio rigid old 's/E: 2e11/E: 1e30/' "E is 1e+30, expected a number between 0 and 1e+13"
of_windio poisson old 's/nu: 0.3/nu: 0.7/' "nu is 0.7, expected a number between -1 and 0.5"
of_windio shear old 's/nu: 0.3/nu: 0.3, G: -1/' "G is -1, expected a number above 0"
of_windio light old 's/rho: 7850/rho: 0/' "rho is 0, expected a number between 0 and 100000"
of_windio twin old 's/{name: steel/{name: steel, E: 1, nu: 0, rho: 1}, &/' "a second material 'steel', expected one"
of_windio outfit old 's/layers: /outfitting_factor: -1\n      &/' "outfitting_factor is -1, expected a number between 0 and 10"
of_windio dense old 's/rho: 7850/rho: 1e30/' "rho is 1e+30, expected a number between 0 and 100000"
of_windio far old 's/hub: {/&elastic_properties_mb: {system_mass: 1, system_inertia: [1, 1, 1], system_center_mass: [0, 1e30, 0]}, /' \
    "the hub has its centre of mass at 1e+30 m, expected 100 m at most"
of_windio product old 's/hub: {/&elastic_properties_mb: {system_mass: 1, system_inertia: [1, 1, 1, 0, 7, 0]}, /' \
    "the hub has the product of inertia 7 kg m^2, expected at most the largest moment"
of_windio degrees old 's/uptilt: 0.1/uptilt: 6/' "uptilt is 6, expected a number between -1.5708 and 1.5708"
of_windio behind old 's/overhang: 2/overhang: -2/' "overhang is -2, expected a number between 0 and 10000"
of_windio blades old 's/number_of_blades: 3/number_of_blades: 2.5/' \
    "blades.yaml:2:30: number_of_blades is 2.5, expected a whole number from 1 to 12"
of_windio cone old 's/cone_angle: 0.05/cone_angle: -4/' "cone_angle is -4, expected a number between -1.5708"
of_windio hubshape old 's/hub: {/&elastic_properties_mb: {system_mass: 1, system_inertia: [1, 1, 3]}, /' \
    "the hub has the inertia 1, 1, 3 kg m^2"
of_windio twist old 's/twist: {grid: \[0, 1\], values: \[0.1, 0.1/twist: {grid: [0, 1], values: [0.1, 13/' \
    "twist is 13 rad, expected a full turn at most"
of_windio turned new 's/5.729577951308232\]}/1e30]}/' "outer_shape.twist is 1e+30 degrees, expected a full turn"
of_windio reaches old 's/y: {grid: \[0, 1\], values: \[0, 0\]}/y: {grid: [0, 1], values: [0, 1e30]}/' \
    "reaches.yaml:9:14: reference axis: y goes by 5e+29 m, expected 10 m at most"
of_windio fast old 's/VS_maxspd: 2/VS_maxspd: 1e30/' "the speed of the rotor is 1e+30 rad/s, expected 0 to 100"
of_windio huge old 's/diameter: 2,/diameter: 1e30,/' "the hub's diameter is 1e+30"
of_windio away old 's/overhang: 2/overhang: 1e30/' "overhang is 1e+30, expected a number between 0 and 10000"
of_windio high old 's/hub_height: 30/hub_height: 1e30/' "hub_height is 1e+30, expected a number between 0 and 10000"
of_windio damped new 's/inertia_matrix:/structural_damping: {mu: [1e30, 0, 0, 0, 0, 0]}\n        &/' "mu is 1e+30, expected factors from 0 to 1000"
of_windio uneven old 's/\[5, 0, 0, 0, 0, 0, 5,/[5, 0, 0, 0, 0, 0, 7,/g' "station 0: mass is not that of a body"

# Numbers that contradict each other are told, and which one is taken; those that agree are not.
sed 's/nu: 0.3/nu: 0.3, G: 7.93e10/
    s/^      layers:/      reference_axis: {x: {grid: [0, 1], values: [0, 0]}, y: {grid: [0, 1], values: [0, 0]}, z: {grid: [0, 1], values: [0, 30]}}\n&/' \
    old.yaml >both.yaml
expect 0 import windio both.yaml -o x.yaml
says "a shear modulus of 7.692e+10 Pa, G says 7.93e+10 Pa: the former is taken" \
    "two reference axes that differ: that of outer_shape_bem is taken, the one in line 24 is not"
# What the file says of the tower's own stiffness and mass, beside the tubes: EI is 1.219438e10 and
# 7.621488e8 N m^2 at its ends.
sed 's/hub: {/&elastic_properties_mb: {system_mass: 1, system_inertia: [1, 1, 1]}, /
    s/^      layers:/      elastic_properties: {stiffness_matrix: {grid: [0, 1], K44: [1.219438e10, 7.240414e8]}}\n&/' old.yaml >own.yaml
expect 0 import windio own.yaml -o x.yaml
says "K44 of its elastic_properties is off theirs by up to -5 % (at grid 1), and is not taken" \
    "the file gives no centre of mass of the hub: its origin is taken"
# With all of it the tower is made of it: of tubes of 1 m by 10 mm, G by E and nu and shear at a half, with half of EI
# where it bends about x, sideways.
whole_tower() { # K44
    awk -v K44="$1" '{ print } /internal_structure_2d_fem/ {
        print "      elastic_properties:"
        print "        stiffness_matrix:"
        print "          grid: [0, 1]"
        for (i = 1; i <= 6; i++)
            for (j = i; j <= 6; j++) {
                k = 0
                if (i == j)
                    k = i < 3 ? 1.2e9 : i == 3 ? 6.2203534541e9 : i == 4 ? K44 : i == 5 ? 7.621487e8 : 5.8626823e8
                printf "          K%d%d: [%.10g, %.10g]\n", i, j, k, k
            }
        print "        inertia_matrix: {grid: [0, 1], mass: [244.15, 244.15], cm_x: [0, 0], cm_y: [0, 0],"
        print "                         i_edge: [30, 30], i_flap: [30, 30], i_plr: [60, 60], i_cp: [0, 0]}"
    }' tubes.yaml
}
sed 's/values: \[2, 1\]/values: [1, 1]/; s/\[0.02, 0.01\]/[0.01, 0.01]/' old.yaml >tubes.yaml
whole_tower 7.621487e8 >whole.yaml
whole_tower 3.8107435e8 >soft_tower.yaml
tower() { # FILE: what stands alone, with the tower's frequencies
    expect 0 import windio "$1.yaml" -o turbine.yaml
    awk '/^beams:/ { on = 1; print "nutate: 1"; print } /^  [a-z0-9_]*:/ { tower = $1 == "tower:" } /^[a-z]/ { tower = 0 }
        on && tower { print } END { print "joints: {foot: {type: fixed, between: [ground, tower.root]}}"
        print "simulation: {duration: 1, step: 1e-2}" }' turbine.yaml >"$1_alone.yaml"
    "$nutate" modes "$1_alone.yaml" -o "$1.csv" >out 2>err || fail "$1: $(cat err)"
}
tower tubes
tower whole
tower soft_tower
grep -q "stiffness: " soft_tower_alone.yaml || fail "the tower is not made of its own sections"
awk -F, 'FNR == 1 { file++ } FNR == 2 { a[file] = $2 } FNR == 3 { b[file] = $2 }
    function near(x, y) { return x/y < 1.006 && y/x < 1.006 } # shear is no half
    END { exit !(near(a[1], a[2]) && near(b[1], b[2]) && near(a[3], a[2]*sqrt(0.5)) && near(b[3], b[2])) }' \
    tubes.csv whole.csv soft_tower.csv || fail "towers: $(head -3 tubes.csv whole.csv soft_tower.csv | cut -c1-60)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { x = $at["tower.tip.position.x"]; y = $at["tower.tip.position.y"]; exit !(y*y > 100*x*x) }' soft_tower.csv ||
    fail "the soft tower bends forward"
expect 0 import windio soft_tower.yaml -o x.yaml
says "the tower is made of its own sections: K44 of its elastic_properties is off that of tubes by diameter and wall by up to -50 %" \
    "and is taken"
sed 's/7.93e10/7.692e10/; s/values: \[0, 30\]/values: [0.0, 29.0]/' both.yaml >agree.yaml
expect 0 import windio agree.yaml -o x.yaml
if grep -q "shear modulus\|reference axes" err; then fail "numbers that agree are told to differ"; fi

# Entries that no model is made of are told, mapping by mapping.
sed 's/hub: {/&cd: 1, /; s/{name: steel/{name: glass, E: 1}, {name: steel, Xt: 3/; s/{number/{rated_power: 2, number/
    s/^control/costs: {blade: 3}\n&/; s/{torque: {/&tsr: 9, /; s/overhang: 2/&, gear_ratio: 1/' old.yaml >extra.yaml
expect 0 import windio extra.yaml -o x.yaml
says "not taken of the file: costs" "not taken of assembly: rated_power" "not taken of components.hub: cd" \
    "not taken of components.nacelle.drivetrain: gear_ratio" "not taken of materials: entry 1" \
    "not taken of materials[2]: Xt" "not taken of control.torque: tsr"
expect 0 import windio old.yaml -o x.yaml
if grep -q "not taken" err; then fail "entries that are taken are told"; fi

# The generator turns behind the spring of the drivetrain, with 9 times its inertia by a gear of 3: with the rotor
# free sqrt(k (1/J + 1/(9 * 50)))/(2 pi) beside the rotor's J, and 9 * 50 kg m^2 more to be turned.
sed 's/hub: {/&elastic_properties_mb: {system_mass: 1000, system_inertia: [1e5, 6e4, 6e4]}, /
    s/nacelle: {drivetrain: {\(.*\)}}/drivetrain: {outer_shape: {\1}, generator: {elastic_properties: {inertia: [50, 40, 40]}},\
    gearbox: {gear_ratio: 3, efficiency: 1}, elastic_properties: {spring_constant: 1000, damping_coefficient: 7}}/' \
    old.yaml >geared.yaml
expect 0 import windio geared.yaml --part rotor -o geared_model.yaml
says "all of the generator's inertia about its axis, 50 kg m^2, turns with the rotor, behind the drivetrain's spring" \
    "not taken of components.drivetrain.gearbox: efficiency"
grep -q "stiffness: 1000, damping: 7}" geared_model.yaml || fail "the spring of the drivetrain is missing"
sed 's/^ *motion: speed\*t}/}/; s/damping: 7}/damping: 0}/; s/record: \[/record: [angular_momentum, /' geared_model.yaml >free.yaml
"$nutate" modes free.yaml -o - 2>err | awk -F, '{ off = $2/0.23775 - 1; found += off < 1e-3 && off > -1e-3 } END { exit found != 1 }' ||
    fail "no mode of the drivetrain at 0.23775 Hz"
expect 0 import windio geared.yaml -o geared_turbine.yaml
expect 0 run geared_turbine.yaml --set speed=1 --duration 0.05 -o geared.csv
sed 's/, damping_coefficient: 7//' geared.yaml >undamped.yaml
expect 0 import windio undamped.yaml -o x.yaml
says "the file gives no damping of the drivetrain's spring: none is written"
sed 's/, elastic_properties: {spring.*}}/}/' geared.yaml >rigid.yaml
expect 0 import windio rigid.yaml --part rotor -o rigid_model.yaml
grep -q "on: hub, matrix: \[0, 0, 0, 50\*3^2, 0, 0\]" rigid_model.yaml || fail "the hub does not turn the generator"
sed 's/generator: {elastic_properties: {inertia: \[50, 40, 40\]}},//' rigid.yaml >without.yaml
expect 0 import windio without.yaml --part rotor -o without_model.yaml
says "not taken of components.drivetrain: gearbox"
momentum() { # MODEL: about the shaft at the start, kg m^2/s at 1 rad/s
    sed 's/record: \[/record: [angular_momentum, /' "$1" >counted.yaml
    "$nutate" run counted.yaml --set speed=1 --duration 0.05 -o - 2>err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
            NR == 2 { printf "%.9g", $column["angular_momentum.x"]*cos(0.1) - $column["angular_momentum.z"]*sin(0.1) }'
}
more=$(momentum without_model.yaml)
for model in geared rigid; do
    awk -v with="$(momentum ${model}_model.yaml)" -v without="$more" \
        'BEGIN { off = with - without - 450; exit off > 1e-3 || off < -1e-3 }' || fail "$model: 450 kg m^2 are missing"
done
for wrong in "s/gear_ratio: 3/gear_ratio: -3/" "s/\[50, 40/[0, 40/" "s/constant: 1000/constant: 1e30/" "s/nt: 7/nt: -7/"; do
    sed "$wrong" geared.yaml >wrong.yaml
    expect 2 import windio wrong.yaml -o x.yaml
    says "expected a number above zero"
done

# Without its version a file is known by its layout: 5.73 degrees are 0.1 rad.
sed '/windIO_version/d' new.yaml >silent.yaml
expect 0 import windio silent.yaml -o silent_model.yaml
cmp -s silent_model.yaml b.yaml || fail "without windIO_version the blade is another"
sed 's/inertia_matrix: {grid: \[0, 1\]/inertia_matrix: {grid: [0, 0.6]/; s/twist: {grid: \[0, 1\]/twist: {grid: [0, 0.5]/
    s/y: {grid: \[0, 1\], values: \[0, 0\]}/y: {grid: [0, 0.3, 0.6, 0.8, 1], values: [0, 0, 1, 0, 0]}/' new.yaml >bent.yaml
expect 0 import windio bent.yaml -o x.yaml
says "inertia_matrix is given from grid 0 to 0.6" "outer_shape.twist is given from grid 0 to 0.5" \
    "reference axis: at grid 0.3 it is at 0.2885 of its length"
grep -q "\[0, 1, 6\]" x.yaml || fail "the axis leaves out points of y"

# A tower with two points and a wall in three pieces, and one that leans and is bent.
sed 's/outer_diameter: {grid: \[0, 1\], values: \[2, 1\]}/outer_diameter: {grid: [0, 0.4, 1], values: [2, 1.9, 1]}/
    s/tower:/&/; s/{number/{rotor_diameter: 100, number/; /VS_maxspd/d' old.yaml >pieces.yaml
expect 0 import windio pieces.yaml -o x.yaml
says "make a rotor of 21.97" "gives no speed of the rotor"
grep -q "at: 0.4, .* radius: 0.95," x.yaml || fail "the tower leaves out a station of its diameter"
sed '/outer_shape_bem/,/outer_diameter/ {
    s/x: {grid: \[0, 1\], values: \[0, 0\]}/x: {grid: [0, 0.5, 1], values: [0, 3, 1]}/
}' old.yaml >leans.yaml
expect 0 import windio leans.yaml -o x.yaml
grep -q "\[3, 0, 14.5\]" x.yaml || fail "the tower leaves out a point of its axis"
grep -q "position: \[1, 0, 29\]" x.yaml || fail "the nacelle is not at the tower's top"
finish
