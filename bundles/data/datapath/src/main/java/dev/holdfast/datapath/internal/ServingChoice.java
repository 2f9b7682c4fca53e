package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.ServingState.Way;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Decides in which way hosts reach a volume. Pure functions. */
final class ServingChoice {
  static final String EXPORTED = "Exported";

  private ServingChoice() {}

  /**
   * Facts on which the choice depends.
   *
   * @param protocol the wanted protocol
   * @param declared whether the engine declares that it exports volumes
   * @param protocols of the exports that the open volume can have
   * @param forwards whether requests are forwarded to another node
   * @param lacksContent whether content is still to be copied into the volume
   * @param reserved whether hosts hold reservations, which the portal keeps
   * @param otherHosts whether hosts other than this node need the portal
   * @param refusal wanted feature that the export lacks, empty when it lacks none
   * @param limited whether limits are wanted
   */
  record Facts(
      String protocol,
      boolean declared,
      Set<String> protocols,
      boolean forwards,
      boolean lacksContent,
      boolean reserved,
      boolean otherHosts,
      Optional<String> refusal,
      boolean limited) {}

  /** Returns the way for a volume that is published now. */
  static ServingState of(Facts facts) {
    if (!facts.declared()) {
      return ServingState.PLAIN;
    }
    if (facts.forwards()) {
      return portal("Forwarding", "requests are passed on to the node that has the volume open");
    }
    if (!facts.protocols().contains(facts.protocol())) {
      return portal(
          "ProtocolNotExported",
          "the engine does not export protocol "
              + facts.protocol()
              + ", only "
              + String.join(", ", new TreeSet<>(facts.protocols())));
    }
    if (facts.lacksContent()) {
      return portal("FirstContent", "its first content is still being copied");
    }
    if (facts.reserved()) {
      return portal(
          "ReservationsHeld", "hosts hold reservations, which an export of the engine cannot keep");
    }
    if (facts.otherHosts()) {
      return portal("OtherHosts", "hosts other than this node use it through the portal");
    }
    return facts
        .refusal()
        .map(why -> portal(facts.limited() ? "LimitUnsupported" : "ExportUnsupported", why))
        .orElseGet(() -> new ServingState(Way.NATIVE, EXPORTED, ""));
  }

  private static ServingState portal(String reason, String message) {
    return new ServingState(Way.PORTAL, reason, message);
  }

  /**
   * Returns the state of a volume whose hosts change from one way to another.
   *
   * @param wanted the choice for which they change
   */
  static ServingState changing(ServingState wanted) {
    return new ServingState(
        Way.CHANGING,
        "ChangingPath",
        (wanted.way() == Way.NATIVE
                ? "hosts are switching to the engine's export"
                : "hosts are switching to the portal")
            + (wanted.message().isEmpty() ? "" : ": " + wanted.message()));
  }

  /**
   * Returns the state of a volume whose way stays because hosts use it.
   *
   * @param present the way in use
   * @param wanted the present choice
   */
  static ServingState keeping(Way present, ServingState wanted) {
    if (present == wanted.way()) {
      return wanted;
    }
    return switch (present) {
      case CHANGING -> throw new IllegalArgumentException("CHANGING is not a path in use");
      case PORTAL ->
          new ServingState(
              present, "NextAttach", "hosts use the portal until the volume is attached again");
      case NATIVE ->
          new ServingState(
              present,
              wanted.reason().isEmpty() ? "NextAttach" : wanted.reason(),
              wanted.message()
                  + (wanted.message().isEmpty() ? "" : "; ")
                  + "hosts use the engine's export until the volume is attached again");
    };
  }
}
