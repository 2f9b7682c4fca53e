package dev.holdfast.itests.powercut;

/**
 * One request of the writer, and its line in the report: {@code WRITE 17 4096 8 fua}.
 *
 * @param kind kind of the request
 * @param sequence number within this life of the machine, rising from 1
 * @param first sector
 * @param count of sectors, 0 for a flush
 * @param fua whether it is to be durable when it is acknowledged
 */
record Request(Kind kind, int sequence, int first, int count, boolean fua) {
  /** How many words its line has. */
  static final int WORDS = 5;

  /** The operation of a request. */
  enum Kind {
    WRITE,
    ZERO,
    TRIM,
    FLUSH
  }

  String line() {
    return kind + " " + sequence + " " + first + " " + count + (fua ? " fua" : " -");
  }

  static Request parse(String[] words) {
    return new Request(
        Kind.valueOf(words[0]),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        Integer.parseInt(words[3]),
        words[4].equals("fua"));
  }

  /** Returns whether it promises durability once it is acknowledged. */
  boolean barrier() {
    return fua || kind == Kind.FLUSH;
  }

  /** Returns whether the sector's content is determined by it: a trim may leave its edges alone. */
  boolean certainAt(int sector) {
    int block = sector / Sectors.PER_BLOCK * Sectors.PER_BLOCK;
    return kind != Kind.TRIM || (block >= first && block + Sectors.PER_BLOCK <= first + count);
  }
}
