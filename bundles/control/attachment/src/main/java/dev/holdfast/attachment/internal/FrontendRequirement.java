package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicket;

/** Requirement of a ticket on the frontend, by its parameter {@code disableFrontend}. */
enum FrontendRequirement {
  /** The frontend must serve. */
  ENABLED,
  /** The frontend must be disabled. */
  DISABLED,
  /** Both states are acceptable. */
  ANY;

  private static final String PARAMETER = "disableFrontend";

  /**
   * Returns the requirement. An absent value requires the frontend; an unknown value accepts both
   * states.
   */
  static FrontendRequirement of(AttachmentTicket ticket) {
    return switch (ticket.parameters().getOrDefault(PARAMETER, "false")) {
      case "", "false" -> ENABLED;
      case "true" -> DISABLED;
      default -> ANY;
    };
  }

  /** Returns whether the ticket accepts a volume with or without a frontend. */
  boolean allows(boolean disabled) {
    return switch (this) {
      case ENABLED -> !disabled;
      case DISABLED -> disabled;
      case ANY -> true;
    };
  }

  /** Returns whether to attach the volume without a frontend for this ticket. */
  boolean disables(boolean present) {
    return switch (this) {
      case ENABLED -> false;
      case DISABLED -> true;
      case ANY -> present;
    };
  }

  /** Returns whether the observed state of the frontend fulfils the requirement. */
  boolean isMetBy(ObservedFrontend observed) {
    return switch (this) {
      case ENABLED -> observed == ObservedFrontend.SERVING;
      case DISABLED -> observed == ObservedFrontend.DISABLED;
      case ANY -> observed != ObservedFrontend.UNKNOWN;
    };
  }
}
