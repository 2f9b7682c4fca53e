package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.reservation.WriteGate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * Fused Compare and Write: two adjacent commands of the queue that are executed as one. Used by the
 * connection's thread only.
 */
public final class FusedCommands {
  public static final String FUSED = "fused";

  private final IoQueue queue;
  private final NvmeNamespace volume;
  private final WriteGate gate;
  private final Map<Integer, FusedPair> waiting = new HashMap<>();
  private Optional<FusedPair> open = Optional.empty();

  FusedCommands(IoQueue queue, NvmeNamespace volume, WriteGate gate) {
    this.queue = queue;
    this.volume = volume;
    this.gate = gate;
  }

  /** Registers a received capsule, in the order of the queue. */
  void arrived(Command command) {
    if (command.fused() == Command.FUSED_SECOND) {
      open.ifPresent(
          pair -> {
            pair.second(command);
            waiting.put(command.id(), pair);
          });
      open = Optional.empty();
      return;
    }
    open.ifPresent(this::breakUp);
    open = Optional.empty();
    if (command.fused() == Command.FUSED_FIRST) {
      FusedPair pair = new FusedPair(command);
      waiting.put(command.id(), pair);
      open = Optional.of(pair);
    }
  }

  private void breakUp(FusedPair pair) {
    pair.breakUp();
    if (pair.compared().isPresent()) {
      waiting.remove(pair.first().id());
      queue.respond(pair.first(), Status.MISSING_FUSED);
    }
  }

  /** Executes a command whose data are complete. */
  void execute(Command command, CommandData data) throws RefusedException {
    FusedPair pair = waiting.get(command.id());
    if (pair == null || command.fused() > Command.FUSED_SECOND || pair.broken()) {
      waiting.remove(command.id());
      queue.respond(command, Status.MISSING_FUSED);
      return;
    }
    if (data.length() > Limits.FUSED) {
      throw new RefusedException(
          Status.ATOMIC_UNIT_EXCEEDED, "more than " + Limits.FUSED + " bytes at once");
    }
    pair.data(command, data.copy());
    if (pair.complete()) {
      run(pair);
    }
  }

  private void run(FusedPair pair) throws RefusedException {
    Command first = pair.first();
    Command second = pair.second().orElseThrow();
    if (!pair.fits()) {
      throw new RefusedException(Status.INVALID_FIELD, "fused commands are for the same blocks");
    }
    BlockRange range = queue.range(first);
    int length = range.transfer();
    CommandData compared = pair.compared().orElseThrow();
    CommandData written = pair.written().orElseThrow();
    IoQueue.requireData(compared, length);
    IoQueue.requireData(written, length);
    int flags = queue.range(second).flags();
    CompareAndWrite operation =
        new CompareAndWrite(
            volume.device(), range.offset(), compared.view(length), written.view(length), flags);
    CompareAndWrite.Result result = alone(operation);
    waiting.remove(first.id());
    waiting.remove(second.id());
    queue.answer(first, result.comparison());
    queue.answer(second, result.writing());
  }

  /**
   * Waits for the device: fused commands are rare, and no other change of the volume may come in
   * between.
   */
  private CompareAndWrite.Result alone(CompareAndWrite operation) throws RefusedException {
    IoThread.settle();
    Lock lock = volume.state().lock();
    lock.lock();
    try {
      gate.enterAlone();
      try {
        queue.requireWriting();
        return operation.run();
      } finally {
        gate.leaveAlone();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Refuses a command of a pair, and with it the other one.
   *
   * @return false when the command is not part of a pair
   */
  boolean refuse(Command command, int status) {
    FusedPair pair = waiting.remove(command.id());
    if (pair == null) {
      return false;
    }
    queue.respond(command, status);
    boolean isFirst = pair.first().id() == command.id();
    Optional<Command> other = isFirst ? pair.second() : Optional.of(pair.first());
    boolean otherThere = isFirst ? pair.written().isPresent() : pair.compared().isPresent();
    if (open.filter(one -> one.first().id() == command.id()).isPresent()) {
      open = Optional.empty();
    } else if (otherThere) {
      waiting.remove(other.orElseThrow().id());
      queue.respond(other.get(), Status.FAILED_FUSED);
    } else {
      // The other command's data have not arrived; it is completed with them.
      pair.breakUp();
    }
    return true;
  }

  void save(Map<String, String> fields) {
    List<FusedPair> pairs = new ArrayList<>();
    for (FusedPair pair : waiting.values()) {
      if (!pairs.contains(pair)) {
        pairs.add(pair);
      }
    }
    fields.put(FUSED, SessionStateCodec.pairs(pairs));
  }

  /** Resumes the state of another session. */
  public void resume(List<FusedPair> pairs) {
    for (FusedPair pair : pairs) {
      waiting.put(pair.first().id(), pair);
      pair.second().ifPresent(second -> waiting.put(second.id(), pair));
      if (pair.second().isEmpty() && !pair.broken()) {
        open = Optional.of(pair);
      }
    }
  }
}
