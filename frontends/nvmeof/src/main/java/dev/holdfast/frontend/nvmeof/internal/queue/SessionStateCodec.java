package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Text form of the commands and data of a parked session. */
public final class SessionStateCodec {
  private static final String NOTHING = "-";

  private SessionStateCodec() {}

  public static String of(Command command) {
    ByteBuffer entry = ByteBuffer.allocate(Command.SIZE);
    command.put(entry, 0);
    return of(entry.array());
  }

  public static String of(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  public static byte[] bytes(String text) {
    return Base64.getDecoder().decode(text);
  }

  public static Command command(String text) {
    return Command.parse(ByteBuffer.wrap(bytes(text)), 0);
  }

  /**
   * Returns commands that wait for data: the command, whether data are damaged, whether data were
   * requested, and the received data.
   */
  static String transfers(List<Transfer> transfers) {
    List<String> texts = new ArrayList<>();
    for (Transfer one : transfers) {
      texts.add(
          String.join(
              " ", of(one.command()), String.valueOf(one.damaged()), NOTHING + of(one.soFar())));
    }
    return String.join("\n", texts);
  }

  static Transfer transfer(String text) {
    String[] parts = text.split(" ", -1);
    Transfer transfer = new Transfer(command(parts[0]));
    transfer.resume(bytes(parts[2].substring(1)), Boolean.parseBoolean(parts[1]));
    return transfer;
  }

  static String pairs(List<FusedPair> pairs) {
    List<String> texts = new ArrayList<>();
    for (FusedPair pair : pairs) {
      texts.add(
          String.join(
              " ",
              of(pair.first()),
              pair.second().map(SessionStateCodec::of).orElse(NOTHING),
              pair.compared().map(data -> of(data.bytes())).orElse(NOTHING),
              pair.written().map(data -> of(data.bytes())).orElse(NOTHING),
              String.valueOf(pair.broken())));
    }
    return String.join("\n", texts);
  }

  public static List<FusedPair> pairs(String text) throws StorageException {
    List<FusedPair> pairs = new ArrayList<>();
    try {
      for (String line : lines(text)) {
        String[] parts = line.split(" ", -1);
        Command first = command(parts[0]);
        FusedPair pair = new FusedPair(first);
        optional(parts[1]).ifPresent(second -> pair.second(command(second)));
        optional(parts[2]).ifPresent(data -> pair.data(first, payload(data)));
        optional(parts[3]).ifPresent(data -> pair.data(pair.second().orElseThrow(), payload(data)));
        if (Boolean.parseBoolean(parts[4])) {
          pair.breakUp();
        }
        pairs.add(pair);
      }
      return pairs;
    } catch (RuntimeException e) {
      throw unreadable("fused commands", e);
    }
  }

  static List<String> lines(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split("\n"));
  }

  public static StorageException unreadable(String what, RuntimeException cause) {
    return new StorageException(
        ErrorCode.INVALID, what + " of the session's state cannot be read", cause);
  }

  private static Optional<String> optional(String text) {
    return text.equals(NOTHING) ? Optional.empty() : Optional.of(text);
  }

  private static CommandData payload(String text) {
    byte[] bytes = bytes(text);
    ByteBuffer own = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    return new CommandData(own, 0, bytes.length, false);
  }
}
