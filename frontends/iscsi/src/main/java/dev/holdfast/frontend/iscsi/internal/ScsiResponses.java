package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.Bhs;
import dev.holdfast.frontend.iscsi.internal.pdu.DataIn;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import dev.holdfast.frontend.iscsi.internal.scsi.Sense;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Sends the end of a command to its initiator: status, sense data and residual count. */
final class ScsiResponses {
  private static final int GOOD = 0;

  private final ScsiCommand command;
  private final Commands commands;
  private final long expected;
  private final long size;

  /**
   * Creates the responses to one command.
   *
   * @param size bytes that the response covers, independent of what the initiator expected
   */
  ScsiResponses(ScsiCommand command, Commands commands, long size) {
    this.command = command;
    this.commands = commands;
    this.expected = command.read() || command.write() ? command.expected() : 0;
    this.size = size;
  }

  /** Sends parameter data and status. Called by the connection's thread. */
  void data(byte[] data) {
    int length = command.read() ? (int) Math.min(size, expected) : 0;
    if (length == 0) {
      status(commands.output().reply(0), Optional.empty(), 0);
      return;
    }
    int most = commands.parameters().sendAtMost();
    int number = 0;
    for (int at = 0; at < length; at += most) {
      int piece = Math.min(most, length - at);
      Reply reply = commands.output().reply(piece);
      reply.buffer().put(commands.output().digests().dataAt(), data, at, piece);
      boolean last = at + piece == length;
      part(reply, number++, at, piece, last, last);
    }
  }

  /** Sends data that is already in its place in the reply. */
  void part(Reply reply, int number, long at, int length, boolean ofBurst, boolean ofCommand) {
    DataIn header =
        new DataIn(
            ofBurst,
            ofCommand && size > expected,
            ofCommand && size < expected,
            ofCommand,
            GOOD,
            0,
            command.tag(),
            Bhs.NO_TAG,
            0,
            0,
            0,
            number,
            at,
            ofCommand ? (int) Math.abs(size - expected) : 0);
    header.write(reply.buffer());
    StatusNumbers sequence = commands.output().sequence();
    if (ofCommand) {
      sequence.sendStatus(reply, length, !command.immediate());
    } else {
      sequence.send(reply, length, false);
    }
  }

  /**
   * Sends the status.
   *
   * @param through reply with room for it, not null
   * @param refusal why the status is not GOOD, not null
   * @param transferred bytes that were transferred before
   */
  void status(Reply through, Optional<CommandException> refusal, long transferred) {
    boolean whole =
        refusal.isEmpty() || refusal.filter(why -> why.isFor(Sense.EXPECTED_TOO_SHORT)).isPresent();
    long about = whole ? size : Math.min(transferred, expected);
    boolean counted = whole || transferred == 0;
    ScsiResponse response =
        new ScsiResponse(
            counted && about > expected,
            counted && about < expected,
            0,
            refusal.map(CommandException::status).orElse(GOOD),
            command.tag(),
            0,
            0,
            0,
            0,
            counted ? (int) Math.abs(about - expected) : 0);
    ByteBuffer out = through.buffer().clear();
    response.write(out);
    byte[] sense = sense(refusal);
    out.put(commands.output().digests().dataAt(), sense);
    commands.output().sequence().sendStatus(through, sense.length, !command.immediate());
  }

  private byte[] sense(Optional<CommandException> refusal) {
    boolean descriptors = refusal.isPresent() && commands.descriptorSense();
    byte[] sense =
        refusal
            .flatMap(CommandException::sense)
            .map(present -> present.encode(descriptors))
            .orElse(new byte[0]);
    return sense.length == 0
        ? sense
        : ByteBuffer.allocate(Short.BYTES + sense.length)
            .putShort((short) sense.length)
            .put(sense)
            .array();
  }
}
