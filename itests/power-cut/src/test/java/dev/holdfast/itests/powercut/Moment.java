package dev.holdfast.itests.powercut;

import java.util.List;

/** When the power is cut. */
enum Moment {
  /** Just after a flush or a FUA request was acknowledged. */
  BARRIER,
  /** Anywhere among writes. */
  WRITING,
  /** While the volume is opened, and its replicas are made identical after an earlier cut. */
  OPENING,
  /** Just after the volume was closed in order. */
  CLOSED,
  /** After the engine has worked for so long that it took back marks of regions. */
  SWEPT;

  private static final List<Moment> ROUND =
      List.of(BARRIER, OPENING, WRITING, CLOSED, BARRIER, OPENING, OPENING, WRITING);
  private static final int SWEPT_PERIOD = 50;

  /** Returns the moment of a cut: all kinds in turn, the slow one rarely. */
  static Moment of(int cut) {
    return cut % SWEPT_PERIOD == 0 ? SWEPT : ROUND.get((cut - 1) % ROUND.size());
  }
}
