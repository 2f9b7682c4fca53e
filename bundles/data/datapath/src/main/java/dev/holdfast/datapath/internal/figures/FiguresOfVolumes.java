package dev.holdfast.datapath.internal.figures;

import java.util.List;

/** The attached volumes, as their metrics read them. Thread-safe. */
public interface FiguresOfVolumes {
  /** Returns the figures of each open volume, never null. */
  List<VolumeFigures> figures();
}
