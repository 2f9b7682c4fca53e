package dev.holdfast.itests;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An initiator of libiscsi that registers, reserves and writes, by a name of its own. */
final class ReservingInitiator {
  /** The status of a command that a reservation forbids: SAM-5, 5.3.1. */
  static final int CONFLICT = 0x18;

  private final String name;

  ReservingInitiator(String name) {
    this.name = name;
  }

  /** Logs in to the target, executes one action, and returns its output. */
  String at(URI endpoint, String... action) {
    String program = Path.of("src/test/resources/libiscsi/reserve").toAbsolutePath().toString();
    String target = endpoint.getPath().substring(1).replaceFirst("/0$", "");
    String address = endpoint.getHost() + ":" + endpoint.getPort();
    List<String> words = new ArrayList<>(List.of(program, address, target, name));
    words.addAll(List.of(action));
    return Command.of(words).run().succeeded().out();
  }
}
