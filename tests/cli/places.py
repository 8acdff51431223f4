"""Where things are, for tests and for what makes their tables."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent


def data_folder():
    """Where real data is: ASSAY_DATA, or ../shared/data beside the source tree; None: nowhere."""
    for place in (os.environ.get("ASSAY_DATA"), SOURCE.parent / "shared" / "data"):
        if place and (pathlib.Path(place) / "sift").is_dir():
            return pathlib.Path(place).resolve()
    return None


def environment_with_data():
    place = data_folder()
    return {**os.environ, "ASSAY_DATA": str(place)} if place is not None else dict(os.environ)
