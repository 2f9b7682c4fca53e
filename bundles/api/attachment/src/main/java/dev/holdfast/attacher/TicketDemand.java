package dev.holdfast.attacher;

import java.util.Map;
import java.util.Objects;

/**
 * Demand of a subject on a volume: that it be attached.
 *
 * @param volume name of the volume, not null
 * @param parameters of the ticket, for example disableFrontend
 * @param nodeID the node asked for, empty for wherever that is best, not null
 */
public record TicketDemand(String volume, Map<String, String> parameters, String nodeID) {
  private static final String DISABLE_FRONTEND = "disableFrontend";

  /** Checks and copies. */
  public TicketDemand {
    Objects.requireNonNull(volume, "volume");
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(nodeID, "nodeID");
  }

  /**
   * Returns a demand that leaves the node open.
   *
   * @param volume name of the volume, not null
   * @param parameters of the ticket, not null
   */
  public static TicketDemand of(String volume, Map<String, String> parameters) {
    return new TicketDemand(volume, parameters, "");
  }

  /**
   * A demand that a workload on the volume's node can join: it does not matter whether the frontend
   * serves.
   */
  public static TicketDemand withAnyFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "any"));
  }

  /** A demand for the frontend to serve. */
  public static TicketDemand withFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "false"));
  }

  /** A demand that also keeps all clients from the volume. */
  public static TicketDemand withoutFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "true"));
  }

  /** Returns the same demand for one node. */
  public TicketDemand at(String node) {
    return new TicketDemand(volume, parameters, node);
  }
}
