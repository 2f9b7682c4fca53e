package dev.holdfast.frontend.nvmeof.internal.page;

import java.util.UUID;

/**
 * Identify Namespace and related pages (Base 2.0, figures 280 to 283; NVM Command Set 1.0, figure
 * 97).
 *
 * @param blocks number of blocks of the namespace
 * @param blockShift block size in bytes, as a power of two
 * @param preferred preferred size in bytes of writes and deallocations
 * @param id unique identifier of the namespace
 */
public record NamespacePage(long blocks, int blockShift, int preferred, UUID id) {
  /** The one namespace of a subsystem. */
  public static final int NAMESPACE = 1;

  /** Its asymmetric access group. */
  public static final int GROUP = 1;

  /** All types of reservations, kept through power loss; keys as since version 1.3. */
  private static final int RESERVATIONS = 0xff;

  /** Returns the page of the NVM command set. */
  public byte[] bytes() {
    int best = Math.max(1, preferred >> blockShift) - 1;
    PageBuilder page = new PageBuilder(ControllerPage.SIZE);
    page.put64(0, blocks).put64(8, blocks).put64(16, blocks);
    // Reports the preferred sizes.
    page.put8(24, 1 << 4);
    page.put8(30, 1).put8(31, RESERVATIONS);
    // Deallocated blocks read as zeroes; Write Zeroes may deallocate.
    page.put8(33, 1 | 1 << 3);
    page.put16(64, best).put16(66, best).put16(68, best).put16(70, best).put16(72, best);
    page.put32(92, GROUP).uuid(104, id);
    page.put8(128 + 2, blockShift);
    return page.bytes();
  }

  /** Returns the page that is independent of the command set. */
  public static byte[] independent() {
    PageBuilder page = new PageBuilder(ControllerPage.SIZE);
    page.put8(1, 1).put8(2, RESERVATIONS).put32(8, GROUP);
    // The namespace is ready.
    page.put8(14, 1);
    return page.bytes();
  }

  /** Returns the list of descriptors: the same identifier as GUID and UUID, and the command set. */
  public byte[] descriptors() {
    PageBuilder page = new PageBuilder(ControllerPage.SIZE);
    page.put8(0, 2).put8(1, 16).uuid(4, id);
    page.put8(20, 3).put8(21, 16).uuid(24, id);
    page.put8(40, 4).put8(41, 1).put8(44, 0);
    return page.bytes();
  }

  /** Returns the list of namespaces above a number. */
  public static byte[] list(int above) {
    PageBuilder page = new PageBuilder(ControllerPage.SIZE);
    // Compared as unsigned numbers, only 0 is below the one namespace.
    return above == 0 ? page.put32(0, NAMESPACE).bytes() : page.bytes();
  }

  /** Returns a list of controllers. */
  public static byte[] controllers(java.util.List<Integer> ids) {
    PageBuilder page = new PageBuilder(ControllerPage.SIZE);
    page.put16(0, ids.size());
    for (int i = 0; i < ids.size(); i++) {
      page.put16(2 + 2 * i, ids.get(i));
    }
    return page.bytes();
  }

  /**
   * Returns the NVM command set's limits of a controller: Verify up to the size of one transfer.
   */
  public static byte[] commandSetLimits(int verifyShift) {
    return new PageBuilder(ControllerPage.SIZE).put8(0, verifyShift).bytes();
  }

  /** Returns the command sets of a controller: the NVM one. */
  public static byte[] commandSets() {
    return new PageBuilder(ControllerPage.SIZE).put64(0, 1).bytes();
  }
}
