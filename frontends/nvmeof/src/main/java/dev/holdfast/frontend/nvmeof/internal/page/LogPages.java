package dev.holdfast.frontend.nvmeof.internal.page;

/** Log pages whose content depends only on a few numbers (Base 2.0, 5.16.1). */
public final class LogPages {
  /** Supported log pages. */
  public static final int SUPPORTED = 0x00;

  /** Errors. */
  public static final int ERRORS = 0x01;

  /** Health. */
  public static final int HEALTH = 0x02;

  /** Firmware. */
  public static final int FIRMWARE = 0x03;

  /** Changed namespaces. */
  public static final int CHANGED_NAMESPACES = 0x04;

  /** Effects of the supported commands. */
  public static final int EFFECTS = 0x05;

  /** Asymmetric access. */
  public static final int ANA = 0x0c;

  /** Supported features. */
  public static final int FEATURES = 0x12;

  /** Subsystems. */
  public static final int DISCOVERY = 0x70;

  /** Reservations that other hosts changed. */
  public static final int RESERVATIONS = 0x80;

  private static final int OPTIMIZED = 1;
  private static final int INACCESSIBLE = 3;
  private static final int CHANGES_CONTENT = 1 << 1;

  private LogPages() {}

  /** Returns the page of the supported logs. */
  public static byte[] supported(int... logs) {
    PageBuilder page = new PageBuilder(1024);
    for (int log : logs) {
      page.put32(4 * log, 1);
    }
    return page.bytes();
  }

  /** Returns the page of the supported features; all have controller scope. */
  public static byte[] features(int... features) {
    PageBuilder page = new PageBuilder(1024);
    for (int feature : features) {
      page.put32(4 * feature, 1 | 1 << 19);
    }
    return page.bytes();
  }

  /** Returns the health page; the values for wear are constant. */
  public static byte[] health(long errors) {
    PageBuilder page = new PageBuilder(512);
    page.put8(3, 100).put8(4, 10);
    page.put64(176, errors);
    return page.bytes();
  }

  /** Returns the page of the only firmware. */
  public static byte[] firmware() {
    return new PageBuilder(512).put8(0, 1).ascii(8, 8, "1").bytes();
  }

  /** Returns the list of changed namespaces. */
  public static byte[] changedNamespaces(boolean changed) {
    PageBuilder page = new PageBuilder(4096);
    return changed ? page.put32(0, NamespacePage.NAMESPACE).bytes() : page.bytes();
  }

  /** Returns the supported commands, and whether they change content. */
  public static byte[] effects(int[] admin, int[] reading, int[] writing) {
    PageBuilder page = new PageBuilder(4096);
    for (int opcode : admin) {
      page.put32(4 * opcode, 1);
    }
    for (int opcode : reading) {
      page.put32(1024 + 4 * opcode, 1);
    }
    for (int opcode : writing) {
      page.put32(1024 + 4 * opcode, 1 | CHANGES_CONTENT);
    }
    return page.bytes();
  }

  /**
   * Returns the asymmetric access state of the one group (Base 2.0, 5.16.1.13).
   *
   * @param groupsOnly whether the namespaces of the group are omitted
   * @param serves whether requests by this path are served
   * @param changes number of changes of that state
   */
  public static byte[] asymmetricAccess(boolean groupsOnly, boolean serves, long changes) {
    PageBuilder page = new PageBuilder(groupsOnly ? 16 + 32 : 16 + 32 + 4);
    page.put64(0, changes + 1).put16(8, 1);
    page.put32(16, NamespacePage.GROUP).put32(20, groupsOnly ? 0 : 1).put64(24, changes + 1);
    page.put8(32, serves ? OPTIMIZED : INACCESSIBLE);
    if (!groupsOnly) {
      page.put32(48, NamespacePage.NAMESPACE);
    }
    return page.bytes();
  }
}
