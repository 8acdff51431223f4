/* The folders within that of a run, for those who fill them and those who clear them. */
#pragma once

#define ASSAY_PICTURE_FOLDER "pictures"
#define ASSAY_PLOT_FOLDER "plots"
