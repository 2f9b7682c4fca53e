package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Asynchronous events of a controller for its host: an event waits for a request of the host, and
 * is reported once until the host has read its log. Not thread-safe: guarded by the controller.
 */
public final class Events {
  /** The kinds of events. */
  public enum Event {
    NAMESPACE(2, 0x00, 0x04, 1 << 8),
    ANA(2, 0x03, 0x0c, 1 << 11),
    DISCOVERY(2, 0xf0, 0x70, 1 << 31),
    RESERVATION(6, 0x00, 0x80, 0);

    private final int type;
    private final int information;
    private final int log;
    private final int enabledBy;

    Event(int type, int information, int log, int enabledBy) {
      this.type = type;
      this.information = information;
      this.log = log;
      this.enabledBy = enabledBy;
    }

    /** Returns the result of the request's completion. */
    long result() {
      return (long) log << 16 | information << 8 | type;
    }
  }

  /**
   * A completion of a request.
   *
   * @param command identifier of the request
   * @param event to report
   */
  record Due(int command, Event event) {}

  private final Deque<Integer> requests = new ArrayDeque<>();
  private final Set<Event> waiting = EnumSet.noneOf(Event.class);
  private final Set<Event> told = EnumSet.noneOf(Event.class);
  private int enabled;

  /** Sets which events the host wants (Asynchronous Event Configuration). */
  void enable(int bits) {
    enabled = bits;
  }

  int enabled() {
    return enabled;
  }

  /** Takes a request. Returns false when the host has too many. */
  boolean request(int command) {
    return requests.size() < Limits.EVENTS && requests.add(command);
  }

  /** Aborts a request. Returns whether it was waiting. */
  boolean abort(int command) {
    return requests.remove(command);
  }

  void happened(Event event) {
    if (event.enabledBy == 0 || (enabled & event.enabledBy) != 0) {
      waiting.add(event);
    }
  }

  /** Records that the host has read a log: the next event of its kind is reported again. */
  void read(int log) {
    told.removeIf(event -> event.log == log);
    // Events from before the reading are included in the log that was read.
    waiting.removeIf(event -> event.log == log);
  }

  /** Returns the next completion, without effect until {@link #sent}. */
  Optional<Due> due() {
    Integer request = requests.peekFirst();
    return request == null
        ? Optional.empty()
        : waiting.stream()
            .filter(event -> !told.contains(event))
            .findFirst()
            .map(event -> new Due(request, event));
  }

  void sent(Due due) {
    requests.removeFirstOccurrence(due.command());
    waiting.remove(due.event());
    told.add(due.event());
  }

  /** Returns the complete state as text, for a controller that is resumed elsewhere. */
  String text() {
    return enabled + ";" + requests + ";" + waiting + ";" + told;
  }

  /** Resumes the state of {@link #text}; ignores unknown parts. */
  static Events resume(String text) {
    Events events = new Events();
    String[] parts = text.split(";", -1);
    if (parts.length == 4) {
      events.enabled = Integer.parseInt(parts[0]);
      for (String command : list(parts[1])) {
        events.requests.add(Integer.parseInt(command));
      }
      addKnown(events.waiting, parts[2]);
      addKnown(events.told, parts[3]);
    }
    return events;
  }

  private static void addKnown(Set<Event> events, String text) {
    for (String name : list(text)) {
      for (Event event : Event.values()) {
        if (event.name().equals(name)) {
          events.add(event);
        }
      }
    }
  }

  private static String[] list(String text) {
    String inner = text.substring(1, text.length() - 1);
    return inner.isEmpty() ? new String[0] : inner.split(", ");
  }
}
