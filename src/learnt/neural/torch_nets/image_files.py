"""Image files: those of a folder, whose folders name the classes, and those listed by name. Read by Pillow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import FileError, InputError
from learnt.neural.torch_nets.runtime import import_extra
from learnt.show.words import shorten_text

#: Formats that are opened, whatever a file is called: others' readers are never run.
FORMATS = ("PNG", "PPM", "JPEG", "BMP")
ENDINGS = frozenset({".png", ".ppm", ".pgm", ".pbm", ".jpg", ".jpeg", ".bmp"})
#: Images, too, which would be missed if they were passed over as other files are.
NOT_READ = frozenset(
    {".gif", ".tif", ".tiff", ".webp", ".heic", ".heif", ".avif", ".jp2", ".jxl", ".svg", ".ico", ".psd"}
)


def files_given(cells: Any) -> tuple[list[Path], list[str] | None] | None:
    """The files of a folder with the names of the folders they lie in, or those listed by name; None of arrays."""
    if isinstance(cells, str | os.PathLike):
        return _of_folder(Path(cells))
    if not isinstance(cells, Sequence) and not hasattr(cells, "tolist"):
        return None
    if len(cells) == 0 or getattr(cells, "ndim", 1) != 1:
        return None
    listed = list(cells)
    if not all(isinstance(cell, str | os.PathLike) for cell in listed):
        return None
    return [Path(cell) for cell in listed], None


def _of_folder(folder: Path) -> tuple[list[Path], list[str] | None]:
    """Files in the order of their names: those of folder/class/name.png, or of folder/name.png without classes."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise InputError(
            f"{str(folder)!r} {what}. Expected the name of a folder with a folder of images for each class, such as "
            "folder/class/name.png; or a list of names of image files."
        )
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    classes = [path for path in inside if path.is_dir()]
    loose = [path for path in inside if _is_image(path)]
    within = [(path, of.name) for of in classes for path in sorted(of.iterdir()) if _is_image(path)]
    if loose and within:
        raise InputError(
            f"The folder {str(folder)!r} holds images, such as {loose[0].name!r}, beside folders of images, such as "
            f"{within[0][1]!r}. Put every image into the folder of its class, or list the files."
        )
    for folder_of_images in (folder, *classes):
        _refuse_unread(folder_of_images)
    if not loose and not within:
        raise InputError(
            f"The folder {str(folder)!r} holds no images: no {', '.join(sorted(ENDINGS))} in it or in its folders."
        )
    bare = sorted({of.name for of in classes} - {name for _, name in within}) if within else []
    if bare:
        raise InputError(
            f"The folder {str(folder / bare[0])!r} holds no images, and those beside it are classes with images. Put "
            "images straight into it, or take it away."
        )
    return (loose, None) if loose else ([path for path, _ in within], [name for _, name in within])


def _refuse_unread(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in NOT_READ and not path.name.startswith(".") and path.is_file():
            raise InputError(
                f"{str(path)!r} is an image of a format that is not read. Expected PNG, PPM, JPEG or BMP: convert it, "
                "or list the names of the files that are to be taken."
            )


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS and not path.name.startswith(".") and path.is_file()


def read_image(path: Path, colours: int | None) -> Array:
    """Height × width × colours of a file: 1 if it is grey, else red, green and blue; transparency is left out."""
    module = import_extra("PIL.Image", "Image files are read by Pillow")
    try:
        with module.open(path, formats=FORMATS) as image:
            found = _pixels(image, colours)
    except FileNotFoundError as error:
        raise FileError("There is no such image. Give the names of files that exist", str(path)) from error
    except Exception as error:  # Pillow raises many kinds for what is damaged, cut short or huge
        why = shorten_text(" ".join(str(error).split()) or type(error).__name__, 160).rstrip(".")
        raise FileError(f"The image cannot be read: {why}. Expected PNG, PPM, JPEG or BMP", str(path)) from error
    return found


def _pixels(image: Any, colours: int | None) -> Array:
    deep = image.mode.startswith("I")  # grey of 16 bits
    grey = deep or image.mode in ("1", "L", "LA", "La", "F")
    array: Array
    if deep or image.mode == "F":
        array = np.asarray(image).astype(np.float32) / (257 if deep else 1)  # on the scale of 8 bits
    else:
        array = np.asarray(image.convert("L" if grey else "RGB"))
    array = array[..., None] if array.ndim == 2 else array
    if colours is None or array.shape[2] == colours:
        return np.array(array)
    if colours == 3:
        return np.repeat(array, 3, axis=2)
    if colours == 1:
        return np.asarray(image.convert("L"))[..., None].copy()
    raise InputError(f"files have 1 or 3 colours, and the net was fitted to {colours}")
