package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.Explanation;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Shows in sentences why a volume is where it is. Thread-safe. */
public final class ExplanationViews {
  private final ResourceJson json = new ResourceJson();

  /**
   * Shows where a volume is, the tickets that hold it, and the waiting tickets with their reasons.
   */
  public Output explanation(Explanation explanation) {
    return new Output(() -> text(explanation), () -> tree(explanation));
  }

  private static String text(Explanation explanation) {
    List<String> lines = new ArrayList<>();
    lines.add(place(explanation));
    content(explanation.volume()).ifPresent(lines::add);
    explanation.holders().forEach(request -> lines.add("- " + holding(request)));
    if (!explanation.waiting().isEmpty()) {
      lines.add(explanation.waiting().size() == 1 ? "One waits:" : "These wait:");
      explanation.waiting().forEach(request -> lines.add("- " + waiting(request, explanation)));
    }
    if (!explanation.problems().isEmpty()) {
      lines.add("What is wrong:");
      explanation
          .problems()
          .forEach(problem -> lines.add("- " + problem.type() + ": " + words(problem)));
    }
    return lines.stream().map(Table::printable).collect(Collectors.joining("\n"));
  }

  /** Returns the progress of a volume's first content; empty if complete. */
  private static Optional<String> content(Volume volume) {
    boolean restored = volume.spec().cloneSource().isEmpty();
    String message =
        restored ? volume.status().restore().message() : volume.status().cloneStatus().message();
    return volume
        .contentProgress()
        .filter(Volume.ContentProgress::isAwaited)
        .map(
            progress ->
                "Its content is incomplete: "
                    + progress.percent()
                    + " % is "
                    + (restored ? "restored." : "copied.")
                    + (message.isEmpty() ? "" : " " + sentence(message)));
  }

  private static String place(Explanation explanation) {
    Volume volume = explanation.volume();
    String name = "Volume " + volume.name();
    String wanted = volume.spec().nodeID();
    return switch (volume.status().state()) {
          case CREATING -> name + " is being made.";
          case ATTACHED ->
              wanted.isEmpty()
                  ? name + " is about to leave node " + volume.status().currentNodeID() + "."
                  : name + " is attached to node " + wanted + heldBy(explanation);
          case ATTACHING -> name + " is on its way to node " + wanted + heldBy(explanation);
          case DETACHING -> name + " is leaving its node.";
          case DETACHED -> detached(explanation);
          case DELETING -> name + " is being deleted with its data.";
        }
        + deletion(volume);
  }

  private static String deletion(Volume volume) {
    if (volume.isBeingDeleted()) {
      return " It is being deleted, and is removed once it is detached.";
    }
    return volume.spec().deleteWhenDetached()
        ? " It is deleted with its data once it is detached; take that back: holdfast volume delete"
            + " --cancel "
            + volume.name()
        : "";
  }

  private static String heldBy(Explanation explanation) {
    return explanation.holders().isEmpty()
        ? ", but no ticket requests it there."
        : ", where these ask for it:";
  }

  private static String detached(Explanation explanation) {
    String name = "Volume " + explanation.volume().name();
    if (!explanation.holders().isEmpty()) {
      return name + " is detached; these go before others:";
    }
    return explanation.waiting().isEmpty()
        ? name
            + " is detached because no ticket requests it. Attach it: holdfast volume attach "
            + explanation.volume().name()
        : name + " is detached although a ticket requests it.";
  }

  private static String holding(Explanation.Request request) {
    return request.satisfied()
        ? subject(request.ticket()) + " has what it asked for." + attacher(request)
        : subject(request.ticket())
            + " does not have it yet ("
            + request.reason()
            + "): "
            + sentence(request.message());
  }

  private static String attacher(Explanation.Request request) {
    return request.attacherAvailable()
        ? ""
        : " The bundle of its type is not installed: it only holds the volume.";
  }

  private static String waiting(Explanation.Request request, Explanation explanation) {
    String node = request.ticket().nodeID();
    return subject(request.ticket())
        + " wants it on "
        + (node.isEmpty() ? "any node" : "node " + node)
        + " ("
        + request.reason()
        + "): "
        + sentence(request.message())
        + remedy(request.reason(), explanation);
  }

  private static String subject(AttachmentTicket ticket) {
    String owner =
        ticket
            .ownerReference()
            .map(reference -> ", for " + reference.kind() + " " + reference.name())
            .orElse("");
    String end = ticket.expiresAt().map(time -> ", until " + time).orElse("");
    return "Ticket " + ticket.id() + " (" + ticket.type() + owner + end + ")";
  }

  /** Returns the remedy if the message does not contain it. */
  private static String remedy(String reason, Explanation explanation) {
    return switch (reason) {
      case AttachmentTicketStatus.OTHER_NODE_REASON, AttachmentTicketStatus.INCOMPATIBLE_REASON ->
          explanation.holders().isEmpty()
              ? ""
              : " It comes next when what holds the volume is done or taken back: "
                  + explanation.holders().stream()
                      .map(holder -> holder.ticket().id())
                      .collect(Collectors.joining(", "))
                  + ".";
      case Node.NOT_READY_REASON -> " See 'holdfast node list'.";
      default -> "";
    };
  }

  private static String sentence(String message) {
    return message.isEmpty() || message.endsWith(".") ? message : message + ".";
  }

  private static String words(Condition condition) {
    return sentence(condition.message().isEmpty() ? condition.reason() : condition.message());
  }

  private ObjectNode tree(Explanation explanation) {
    Volume volume = explanation.volume();
    ObjectNode root =
        json.mapper()
            .createObjectNode()
            .put("name", volume.name())
            .put("explanation", text(explanation))
            .put("state", volume.status().state().toString())
            .put("nodeID", volume.spec().nodeID())
            .put("currentNodeID", volume.status().currentNodeID());
    root.set("holders", requests(explanation.holders()));
    root.set("waiting", requests(explanation.waiting()));
    ArrayNode problems = root.putArray("problems");
    for (Condition problem : explanation.problems()) {
      problems
          .addObject()
          .put("type", problem.type())
          .put("reason", problem.reason())
          .put("message", problem.message());
    }
    return root;
  }

  private ArrayNode requests(List<Explanation.Request> requests) {
    ArrayNode array = json.mapper().createArrayNode();
    for (Explanation.Request request : requests) {
      ObjectNode node =
          array
              .addObject()
              .put("id", request.ticket().id())
              .put("type", request.ticket().type())
              .put("nodeID", request.ticket().nodeID())
              .put("satisfied", request.satisfied())
              .put("attacherAvailable", request.attacherAvailable())
              .put("reason", request.reason())
              .put("message", request.message());
      request
          .ticket()
          .ownerReference()
          .ifPresent(owner -> node.put("owner", owner.kind() + "/" + owner.name()));
      request.ticket().expiresAt().ifPresent(end -> node.put("expiresAt", end.toString()));
    }
    return array;
  }
}
