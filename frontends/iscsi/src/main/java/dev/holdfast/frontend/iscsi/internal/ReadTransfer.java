package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The data of a read, in as many PDUs as needed. The PDUs are sent in order, as negotiated. The
 * last one is kept until the command ends, and carries its status.
 */
final class ReadTransfer {
  /** Limit per PDU, so that the first PDUs are sent while the last are read. */
  private static final int LARGEST_PART = 256 << 10;

  private final Task task;
  private final Commands commands;
  private final int length;
  private final ScsiResponses answers;
  private Part[] parts;
  private int next;
  private boolean failed;

  /** One PDU. */
  private final class Part implements Completion {
    private final int at;
    private final int bytes;
    private final boolean endsBurst;
    private final Reply reply;
    private final Completion ofTask;
    private boolean done;

    Part(int at, int bytes, boolean endsBurst) {
      this.at = at;
      this.bytes = bytes;
      this.endsBurst = endsBurst;
      this.reply = commands.output().reply(bytes);
      this.ofTask = task.part();
    }

    @Override
    public void completed(StorageException failure) {
      arrived(this, failure);
      ofTask.completed(failure);
    }
  }

  ReadTransfer(Task task, Commands commands, int length) {
    this.task = task;
    this.commands = commands;
    this.length = length;
    this.answers = task.answers();
  }

  /** Submits the read to the device. Called by the connection's thread. */
  void begin(long offset) {
    int most = Math.min(LARGEST_PART, commands.parameters().sendAtMost());
    int burst = commands.parameters().maxBurst();
    parts = new Part[count(most, burst)];
    int at = 0;
    for (int i = 0; i < parts.length; i++) {
      int end = Math.min(length, Math.min(at + most, at - at % burst + burst));
      Part part = new Part(at, end - at, end % burst == 0 || end == length);
      synchronized (this) {
        parts[i] = part;
      }
      int from = commands.output().digests().dataAt();
      ByteBuffer target = part.reply.buffer().limit(from + part.bytes).position(from);
      commands.device().read(offset + at, target, part);
      at = end;
    }
  }

  private int count(int most, int burst) {
    int whole = length / burst * ((burst + most - 1) / most);
    return whole + (length % burst + most - 1) / most;
  }

  private synchronized void arrived(Part part, StorageException failure) {
    part.done = true;
    failed |= failure != null;
    while (!failed
        && next < parts.length - 1
        && parts[next] != null
        && parts[next].done
        && !task.isAborted()) {
      Part first = parts[next];
      first.reply.buffer().clear();
      answers.part(first.reply, next, first.at, first.bytes, first.endsBurst, false);
      next++;
    }
  }

  /** Ends the command after all parts were read or one failed. */
  synchronized void finish(ScsiResponses ending, Optional<CommandException> refusal) {
    Part last = parts[parts.length - 1];
    if (refusal.isEmpty()) {
      last.reply.buffer().clear();
      ending.part(last.reply, next, last.at, last.bytes, true, true);
      return;
    }
    for (int i = next; i < parts.length - 1; i++) {
      parts[i].reply.discard();
    }
    ending.status(last.reply, refusal, next > 0 ? last.at : 0);
  }

  /** Discards the data, because no initiator waits for it. */
  synchronized void discard() {
    for (int i = next; i < parts.length; i++) {
      parts[i].reply.discard();
    }
  }
}
