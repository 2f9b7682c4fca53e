package dev.holdfast.reservation;

/** Rights while a reservation is held (SPC-4, 5.13; NVM Express Base 2.0, 8.19). */
public enum ReservationType {
  /** Only the holder writes; all hosts read. */
  WRITE_EXCLUSIVE(false, false, false),
  /** Only the holder reads and writes. */
  EXCLUSIVE_ACCESS(true, false, false),
  /** Only registrants write; all hosts read. */
  WRITE_EXCLUSIVE_REGISTRANTS_ONLY(false, true, false),
  /** Only registrants read and write. */
  EXCLUSIVE_ACCESS_REGISTRANTS_ONLY(true, true, false),
  /** Only registrants write, and each of them is a holder. */
  WRITE_EXCLUSIVE_ALL_REGISTRANTS(false, true, true),
  /** Only registrants read and write, and each of them is a holder. */
  EXCLUSIVE_ACCESS_ALL_REGISTRANTS(true, true, true);

  private final boolean readsExcluded;
  private final boolean registrants;
  private final boolean allHold;

  ReservationType(boolean readsExcluded, boolean registrants, boolean allHold) {
    this.readsExcluded = readsExcluded;
    this.registrants = registrants;
    this.allHold = allHold;
  }

  /** Returns whether other hosts must not read. */
  public boolean readsExcluded() {
    return readsExcluded;
  }

  /** Returns whether every registrant has the holder's access. */
  public boolean forRegistrants() {
    return registrants;
  }

  /** Returns whether every registrant is a holder. */
  public boolean allHold() {
    return allHold;
  }
}
