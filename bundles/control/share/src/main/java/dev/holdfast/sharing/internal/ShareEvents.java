package dev.holdfast.sharing.internal;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.resource.Condition;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import java.util.Optional;

/** Events of a share: one for each change of its state. */
final class ShareEvents {
  private ShareEvents() {}

  static void tell(ShareManagerStatus before, ShareManager share, EventRecorder events) {
    ShareManagerStatus now = share.status();
    if (before.state() == now.state() && before.epoch().number() == now.epoch().number()) {
      return;
    }
    String message = "share " + share.name() + " is " + now.state() + explained(now);
    switch (now.state()) {
      case STOPPED -> events.normal(share, "ShareStopped", message);
      case STARTING -> events.normal(share, "ShareStarting", message);
      case RUNNING -> events.normal(share, "ShareRunning", message);
      case STOPPING -> events.normal(share, "ShareStopping", message);
      case ERROR -> events.warning(share, "ShareFailed", message);
      case UNKNOWN -> events.warning(share, "ShareUnknown", message);
    }
  }

  private static String explained(ShareManagerStatus status) {
    String where = status.nodeID().isEmpty() ? "" : " on node " + status.nodeID();
    String message = ready(status).map(Condition::message).orElse("");
    return where + (message.isEmpty() ? "" : ": " + message);
  }

  /** Returns the reason of the condition Ready; empty if it was never set. */
  static String reason(ShareManagerStatus status) {
    return ready(status).map(Condition::reason).orElse("");
  }

  private static Optional<Condition> ready(ShareManagerStatus status) {
    return Condition.find(status.conditions(), Condition.READY);
  }
}
