package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicket;

/** Requirement of a ticket on the frontend, by its parameter {@code disableFrontend}. */
enum FrontendRequirement {
  /** It must serve. */
  ENABLED,
  /** It must not serve. */
  DISABLED,
  /** Either will do. */
  ANY;

  private static final String PARAMETER = "disableFrontend";

  /** An absent value requires the frontend; an unknown value accepts both. */
  static FrontendRequirement of(AttachmentTicket ticket) {
    return switch (ticket.parameters().getOrDefault(PARAMETER, "false")) {
      case "", "false" -> ENABLED;
      case "true" -> DISABLED;
      default -> ANY;
    };
  }

  /** Whether a volume attached with or without a frontend will do. */
  boolean allows(boolean disabled) {
    return switch (this) {
      case ENABLED -> !disabled;
      case DISABLED -> disabled;
      case ANY -> true;
    };
  }

  /** How the volume is to be attached for this ticket. */
  boolean disables(boolean present) {
    return switch (this) {
      case ENABLED -> false;
      case DISABLED -> true;
      case ANY -> present;
    };
  }

  /** Whether what is seen of the frontend answers this demand. */
  boolean isMetBy(ObservedFrontend observed) {
    return switch (this) {
      case ENABLED -> observed == ObservedFrontend.SERVING;
      case DISABLED -> observed == ObservedFrontend.DISABLED;
      case ANY -> observed != ObservedFrontend.UNKNOWN;
    };
  }
}
