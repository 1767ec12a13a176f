"""Files, written by Pillow, by hand, and damaged."""

import numpy as np
import pytest

from learnt.errors import FileError, InputError
from learnt.neural.torch_nets.image_files import files_given, read_image
from learnt.neural.torch_nets.images import read_images

Image = pytest.importorskip("PIL.Image", reason="image files are read by Pillow")
GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
RED = np.stack([GREY, GREY // 2, GREY // 4], axis=2)


@pytest.mark.parametrize("ending", ["png", "pgm", "bmp"])
def test_grey_files_are_read_exactly(tmp_path, ending):
    Image.fromarray(GREY).save(tmp_path / f"a.{ending}")
    np.testing.assert_array_equal(read_image(tmp_path / f"a.{ending}", 1)[..., 0], GREY)


def test_a_file_written_by_hand_colours_and_16_bits(tmp_path):
    (tmp_path / "a.ppm").write_bytes(b"P6 4 3 255\n" + RED.tobytes())
    np.testing.assert_array_equal(read_image(tmp_path / "a.ppm", None), RED)
    assert read_image(tmp_path / "a.ppm", 1).shape == (3, 4, 1)
    Image.fromarray(GREY.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    np.testing.assert_allclose(read_image(tmp_path / "deep.png", None)[..., 0], GREY, atol=1e-4)
    Image.fromarray(np.dstack([RED, GREY])).save(tmp_path / "clear.png")  # transparency is left out
    np.testing.assert_array_equal(read_image(tmp_path / "clear.png", None), RED)
    np.testing.assert_array_equal(
        read_image(tmp_path / "deep.png", 3)[..., 2], read_image(tmp_path / "deep.png", 1)[..., 0]
    )


def test_a_folder_of_folders_names_the_classes(tmp_path):
    for name in ("rose/b.png", "rose/a.png", "tulip/c.PNG"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(GREY if "tulip" in name else RED).save(tmp_path / name)
    (tmp_path / "rose" / "notes.txt").write_text("mine")
    (tmp_path / ".hidden").mkdir()
    paths, classes = files_given(tmp_path)
    assert [p.name for p in paths] == ["a.png", "b.png", "c.PNG"]
    assert classes == ["rose", "rose", "tulip"]
    found = read_images(str(tmp_path), (), None, None, None, None)
    assert found.images.shape == (3, 4, 3)  # grey ones become coloured beside others
    assert files_given(tmp_path / "rose") == ([tmp_path / "rose" / "a.png", tmp_path / "rose" / "b.png"], None)
    listed = read_images([str(paths[2])], (), None, None, None, None)
    np.testing.assert_array_equal(listed.images.pixels[0, 0], GREY)
    Image.fromarray(GREY).save(tmp_path / "loose.png")
    with pytest.raises(InputError, match="beside folders of images"):
        files_given(tmp_path)


def test_files_that_are_no_images_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="holds no images"):
        files_given(tmp_path)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"is a file. Expected the name of a folder"):
        files_given(tmp_path / "table.csv")
    for name, content in (("empty.png", b""), ("words.png", b"hello"), ("cut.ppm", b"P6 4 3 255\n123")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileError, match=f"cannot be read.*{name}"):
            read_image(tmp_path / name, None)
    (tmp_path / "huge.ppm").write_bytes(b"P6 400000 300000 255\n")
    with pytest.raises(FileError, match=r"cannot be read.*huge.ppm"):
        read_image(tmp_path / "huge.ppm", None)
    with pytest.raises(FileError, match="no such image"):
        read_image(tmp_path / "none.png", None)


def test_no_image_of_a_folder_is_passed_over(tmp_path):
    for name in ("rose/a.png", "tulip/deeper/b.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(GREY).save(tmp_path / name)
    with pytest.raises(InputError, match=r"tulip' holds no images, and those beside it"):
        files_given(tmp_path)
    Image.fromarray(GREY).save(tmp_path / "tulip" / "b.png")
    assert files_given(tmp_path)[1] == ["rose", "tulip"]
    (tmp_path / "rose" / "c.TIFF").write_bytes(b"II")
    with pytest.raises(InputError, match=r"c.TIFF' is an image of a format that is not read"):
        files_given(tmp_path)
