# Compiler flags of everything in this tree, never seen by users of the installed library.
#
# The same input gives the same bits: no fast-math, no contraction into fused multiply-adds.
# -fno-math-errno changes no result (it lets sqrt be one instruction); asserts stay in every build.

add_library(nutate_flags INTERFACE)
add_library(nutate_link_flags INTERFACE)
target_compile_features(nutate_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
set(NUTATE_C_FLAGS
    -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wundef -Wcast-qual -Wconversion -Wdouble-promotion -Wformat=2
    -Wno-psabi # speaks of vectors passed between files, which are never passed so
    -ffp-contract=off -fvisibility=hidden -fno-math-errno -fno-semantic-interposition)
# What is copied or cleared in code, some hundred bytes, is by plain stores: the instructions rep movs
# and rep stos, which gcc takes for any x86, take 30 cycles to begin, 2 to 3 % of a rotor's step.
include(CheckCCompilerFlag)
set(plain_stores unrolled_loop:1024:noalign,libcall:-1:noalign)
check_c_compiler_flag(-mmemcpy-strategy=${plain_stores} NUTATE_HAS_PLAIN_STORES)
if(NUTATE_HAS_PLAIN_STORES)
  list(APPEND NUTATE_C_FLAGS -mmemcpy-strategy=${plain_stores} -mmemset-strategy=${plain_stores})
endif()
# Vectors of four numbers, on processors with longer ones too: these are slower for some time after.
check_c_compiler_flag(-mprefer-vector-width=256 NUTATE_HAS_VECTOR_WIDTH)
if(NUTATE_HAS_VECTOR_WIDTH)
  list(APPEND NUTATE_C_FLAGS -mprefer-vector-width=256)
endif()
target_compile_options(nutate_flags INTERFACE ${NUTATE_C_FLAGS})
target_link_options(nutate_link_flags INTERFACE LINKER:--as-needed LINKER:-Bsymbolic-functions)
foreach(type RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
endforeach()

if(NUTATE_SANITIZE)
  set(sanitize -fsanitize=${NUTATE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(nutate_flags INTERFACE ${sanitize})
  add_link_options(${sanitize})
endif()
if(NUTATE_FUZZ)
  target_compile_options(nutate_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
