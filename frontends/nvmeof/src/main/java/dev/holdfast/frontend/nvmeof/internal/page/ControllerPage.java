package dev.holdfast.frontend.nvmeof.internal.page;

/**
 * Identify Controller (Base 2.0, figure 275).
 *
 * @param id number of the controller
 * @param subsystem NQN of the subsystem
 * @param serial number
 * @param discovery whether it is a discovery controller
 * @param transferShift maximum bytes of a command, as a power of two of 4096
 * @param entries entries of a queue
 * @param events maximum number of waiting asynchronous event requests
 * @param inCapsule bytes of data in a capsule
 * @param fusedBlocks maximum blocks of a fused compare and write
 */
public record ControllerPage(
    int id,
    String subsystem,
    String serial,
    boolean discovery,
    int transferShift,
    int entries,
    int events,
    int inCapsule,
    int fusedBlocks) {
  /** Bytes of every Identify page. */
  public static final int SIZE = 4096;

  /** The version of the specification, as in the registers: 2.0. */
  public static final int VERSION = 0x0002_0000;

  private static final int NAMESPACE_NOTICES = 1 << 8;
  private static final int ANA_NOTICES = 1 << 11;
  private static final int DISCOVERY_NOTICES = 1 << 31;
  private static final int LONG_HOST_ID = 1;
  private static final int KEPT_ALIVE_BY_TRAFFIC = 1 << 6;
  private static final int KEEP_ALIVE_UNITS_OF_100_MS = 10;

  /** Returns the page. */
  public byte[] bytes() {
    PageBuilder page = new PageBuilder(SIZE);
    common(page);
    if (discovery) {
      page.put32(92, DISCOVERY_NOTICES);
    } else {
      forVolumes(page);
    }
    return page.bytes();
  }

  private void common(PageBuilder page) {
    page.ascii(4, 20, serial).ascii(24, 40, "Holdfast").ascii(64, 8, "1");
    page.put8(77, transferShift).put16(78, id).put32(80, VERSION);
    page.put32(96, LONG_HOST_ID | KEPT_ALIVE_BY_TRAFFIC);
    page.put8(111, discovery ? 2 : 1);
    page.put8(259, events - 1);
    // Log pages with 32-bit lengths and offsets.
    page.put8(261, 1 << 2);
    page.put16(320, KEEP_ALIVE_UNITS_OF_100_MS);
    page.put16(514, entries);
    // Unaligned descriptors, offsets in the capsule.
    page.put32(536, 1 | 1 << 20);
    page.name(768, 256, subsystem);
    if (discovery) {
      page.put32(1792, 4).put32(1796, 1);
    }
  }

  private void forVolumes(PageBuilder page) {
    // Several controllers, asymmetric access.
    page.put8(76, 1 << 1 | 1 << 3);
    page.put32(92, NAMESPACE_NOTICES | ANA_NOTICES);
    // Commands' effects beside the extended log data; one firmware, which cannot be changed.
    page.put8(260, 1 | 1 << 1).put8(261, 1 << 1 | 1 << 2);
    page.put8(262, ErrorLog.ENTRIES - 1);
    // Reports all states of asymmetric access; a change takes 30 s at most.
    page.put8(342, 30).put8(343, 0x1f | 1 << 6).put32(344, 1).put32(348, 1);
    page.put8(512, 0x66).put8(513, 0x44).put32(516, 1);
    // Supports Compare, Dataset Management, Write Zeroes, feature values, reservations and Verify;
    // fused commands.
    page.put16(520, 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7).put16(522, 1);
    // A volatile cache; a flush of all namespaces is supported.
    page.put8(525, 7);
    page.put16(532, fusedBlocks - 1);
    page.put32(540, 1);
    page.put32(1792, (64 + inCapsule) / 16).put32(1796, 1).put8(1803, 1).put16(1804, 1);
  }
}
