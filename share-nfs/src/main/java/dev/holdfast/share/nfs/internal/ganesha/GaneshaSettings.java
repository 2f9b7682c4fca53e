package dev.holdfast.share.nfs.internal.ganesha;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Settings of one Ganesha.
 *
 * @param volume name of the volume, which is the export's path for clients
 * @param identity of the server, the same on each node, because clients reclaim their locks only
 *     from the same server
 * @param address on which it listens
 * @param port on which it listens
 * @param filesystemId makes file handles valid on each node
 * @param lease after which the server forgets a silent client
 * @param grace longest time in which clients may reclaim what they held
 * @param rules who may use the export, first match first
 */
public record GaneshaSettings(
    String volume,
    String identity,
    String address,
    int port,
    long filesystemId,
    Duration lease,
    Duration grace,
    List<ExportRule> rules) {

  /** Id of the only export of a server. */
  public static final int EXPORT_ID = 1;

  /** Copies the list. */
  public GaneshaSettings {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(grace, "grace");
    rules = List.copyOf(rules);
  }

  /** How users of a client become users of the server. */
  public enum Squash {
    /** Each user keeps the number. */
    NONE("No_Root_Squash"),
    /** The superuser becomes the anonymous user. */
    ROOT("Root_Squash"),
    /** Each user becomes the anonymous user. */
    ALL("All_Squash");

    private final String word;

    Squash(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * Access of some clients.
   *
   * @param clients addresses and networks, in the notation of {@link ClientAddress}
   * @param readOnly whether they may not write
   * @param squash of their users
   */
  public record ExportRule(List<ClientAddress> clients, boolean readOnly, Squash squash) {
    /** Copies the list. */
    public ExportRule {
      clients = List.copyOf(clients);
      Objects.requireNonNull(squash, "squash");
    }
  }
}
