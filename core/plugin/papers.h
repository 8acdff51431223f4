/* Papers that many plugins are from, as their `reference` names them. */
#pragma once

#define ASSAY_PAPER_DMP_MH                                                                         \
  "Cheng, Dai and Sun 2026, Differentially Private Motif-Preserving Multi-modal Hashing"
#define ASSAY_PAPER_DPHE                                                                           \
  "Yonetani, Boddeti, Kitani and Sato 2017, Privacy-Preserving Visual Learning Using Doubly "      \
  "Permuted Homomorphic Encryption"
#define ASSAY_PAPER_INSTAHIDE                                                                      \
  "Huang, Song, Li and Arora 2020, InstaHide: Instance-hiding Schemes for Private Distributed "    \
  "Learning"
#define ASSAY_PAPER_LDP_FEAT "Pittaluga and Zhuang 2023, LDP-FEAT"
