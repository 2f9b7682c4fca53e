package dev.holdfast.frontend.nvmeof.internal.page;

import dev.holdfast.frontend.TlsPolicy;
import java.util.List;

/**
 * The log of subsystems (Base 2.0, figure 264).
 *
 * @param generation number of its changes
 * @param records reachable subsystems
 */
public record DiscoveryLog(long generation, List<Place> records) {
  private static final int SIZE = 1024;
  private static final int TCP = 3;
  private static final int IPV4 = 1;
  private static final int IPV6 = 2;
  private static final int NO_FLOW_CONTROL = 1 << 2;
  private static final int SECURITY_AT = 768;
  private static final int TLS_1_3 = 2;
  private static final int ANY_CONTROLLER = 0xffff;
  private static final int ADMIN_ENTRIES = 32;

  /** Copies the records. */
  public DiscoveryLog {
    records = List.copyOf(records);
  }

  /** Targets of a record. */
  public enum Kind {
    /** Another discovery subsystem. */
    REFERRAL(1),
    /** A subsystem with namespaces. */
    VOLUMES(2),
    /** The discovery subsystem of this log. */
    CURRENT(3);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  /** Requirement of a record for a secure channel (figure 264, Transport Requirements). */
  public enum Security {
    /** Not specified. */
    NOT_SPECIFIED(0),
    /** A host must begin with TLS. */
    REQUIRED(1),
    /** A host may begin with TLS. */
    NOT_REQUIRED(2);

    private final int requirement;

    Security(int requirement) {
      this.requirement = requirement;
    }

    /**
     * Returns the entry field for a listener with a policy.
     *
     * @param policy not null
     */
    public static Security of(TlsPolicy policy) {
      return switch (policy) {
        case OFF -> NOT_SPECIFIED;
        case OFFERED -> NOT_REQUIRED;
        case REQUIRED -> REQUIRED;
      };
    }
  }

  /**
   * One record.
   *
   * @param kind kind of the target
   * @param address an IP address, or an unresolved name
   * @param port TCP port
   * @param subsystem NQN of the subsystem
   * @param security whether TLS is required
   */
  public record Place(Kind kind, String address, int port, String subsystem, Security security) {}

  /** Returns the whole page. */
  public byte[] bytes() {
    PageBuilder page = new PageBuilder(SIZE * (records.size() + 1));
    page.put64(0, generation).put64(8, records.size());
    for (int i = 0; i < records.size(); i++) {
      put(page, SIZE * (i + 1), records.get(i));
    }
    return page.bytes();
  }

  private static void put(PageBuilder page, int at, Place record) {
    page.put8(at, TCP).put8(at + 1, record.address().indexOf(':') < 0 ? IPV4 : IPV6);
    page.put8(at + 2, record.kind().number);
    page.put8(at + 3, NO_FLOW_CONTROL | record.security().requirement);
    page.put16(at + 6, ANY_CONTROLLER).put16(at + 8, ADMIN_ENTRIES);
    page.ascii(at + 32, 32, String.valueOf(record.port()));
    page.name(at + 256, 256, record.subsystem());
    page.ascii(at + 512, 256, record.address());
    page.put8(at + SECURITY_AT, record.security() == Security.NOT_SPECIFIED ? 0 : TLS_1_3);
  }
}
