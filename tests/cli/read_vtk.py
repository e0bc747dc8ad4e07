"""read_vtk.py FILE.pvd...: VTK reads every frame of each list, with the arrays that it should have."""
import os
import sys
import xml.etree.ElementTree

from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def read(path):
    reader = vtkXMLPolyDataReader()
    if not reader.CanReadFile(path):
        raise SystemExit(f"{path} cannot be read")
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def check(condition, words):
    if not condition:
        raise SystemExit(words)


def main():
    files = 0
    for pvd in sys.argv[1:]:
        times = []
        for data in xml.etree.ElementTree.parse(pvd).getroot().iter("DataSet"):
            path = os.path.join(os.path.dirname(pvd), data.get("file"))
            mesh = read(path)
            files += 1
            low = mesh.GetBounds()
            check(all(abs(x) < 1e4 for x in low), f"{path}: bounds {low}")
            if data.get("part") == "1":
                check(mesh.GetPointData().GetArray("force").GetNumberOfComponents() == 3, path)
                check(mesh.GetNumberOfVerts() == mesh.GetNumberOfPoints() > 0, path)
                continue
            times.append(float(data.get("timestep")))
            check(mesh.GetNumberOfPolys() > 10, f"{path}: {mesh.GetNumberOfPolys()} triangles")
            color = mesh.GetCellData().GetArray("color")
            body = mesh.GetCellData().GetArray("body")
            check(color.GetNumberOfTuples() == mesh.GetNumberOfPolys(), path)
            check(body.GetRange()[0] >= 0, path)
        check(len(times) > 1 and times == sorted(set(times)), f"{pvd}: times {times}")
    print(files, "files read")


main()
