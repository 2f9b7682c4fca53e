package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.iscsi.internal.pdu.Bhs;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import dev.holdfast.frontend.iscsi.internal.scsi.Sense;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Text form of a command that waits for data: its header, the received data, and the reason of a
 * refusal.
 *
 * @param command not null
 * @param refusal not null
 * @param received number of received bytes
 * @param r2tSn number of R2T PDUs sent
 * @param dataSn number of the next data PDU in its sequence
 * @param gathered received data of a gathered command; not null
 */
record TaskText(
    ScsiCommand command,
    Optional<CommandException> refusal,
    int received,
    int r2tSn,
    int dataSn,
    ByteBuffer gathered) {
  private static final int FIELDS = 6;

  static String write(TaskText task) {
    ByteBuffer header = ByteBuffer.allocate(Bhs.LENGTH);
    task.command().write(header);
    byte[] data = new byte[Math.min(task.received(), task.gathered().capacity())];
    task.gathered().get(0, data);
    return String.join(
        " ",
        HexFormat.of().formatHex(header.array()),
        String.valueOf(task.received()),
        String.valueOf(task.r2tSn()),
        String.valueOf(task.dataSn()),
        task.refusal().map(TaskText::refusal).orElse("-"),
        "=" + Base64.getEncoder().encodeToString(data));
  }

  private static String refusal(CommandException why) {
    return why.sense()
        .map(sense -> sense.key() + ":" + sense.code())
        .orElse(String.valueOf(why.status()));
  }

  static TaskText read(String text) throws StorageException {
    String[] words = text.split(" ", -1);
    try {
      if (words.length != FIELDS) {
        throw new IllegalArgumentException("there are " + words.length + " fields");
      }
      return new TaskText(
          ScsiCommand.parse(ByteBuffer.wrap(HexFormat.of().parseHex(words[0]))),
          refusal(words[4]),
          Integer.parseInt(words[1]),
          Integer.parseInt(words[2]),
          Integer.parseInt(words[3]),
          ByteBuffer.wrap(Base64.getDecoder().decode(words[5].substring(1))));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StorageException(ErrorCode.INVALID, "a task of the session is unreadable", e);
    }
  }

  private static Optional<CommandException> refusal(String text) {
    if (text.equals("-")) {
      return Optional.empty();
    }
    int colon = text.indexOf(':');
    if (colon < 0) {
      return Optional.of(CommandException.of(Integer.parseInt(text)));
    }
    int key = Integer.parseInt(text.substring(0, colon));
    int code = Integer.parseInt(text.substring(colon + 1));
    return Optional.of(CommandException.of(new Sense(key, code, OptionalLong.empty())));
  }
}
