package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.IoCommand;
import java.util.Optional;

/** A compare and a write that are executed as one. Their data arrive in any order. */
public final class FusedPair {
  private final Command first;
  private Optional<Command> second = Optional.empty();
  private Optional<CommandData> compared = Optional.empty();
  private Optional<CommandData> written = Optional.empty();
  private boolean broken;

  FusedPair(Command first) {
    this.first = first;
  }

  Command first() {
    return first;
  }

  Optional<Command> second() {
    return second;
  }

  Optional<CommandData> compared() {
    return compared;
  }

  Optional<CommandData> written() {
    return written;
  }

  void second(Command command) {
    second = Optional.of(command);
  }

  /** Marks the pair as broken, because the second command will not arrive. */
  void breakUp() {
    broken = true;
  }

  boolean broken() {
    return broken;
  }

  /** Takes the data of one of the two commands. */
  void data(Command command, CommandData payload) {
    if (command.fused() == Command.FUSED_FIRST) {
      compared = Optional.of(payload);
    } else {
      written = Optional.of(payload);
    }
  }

  boolean complete() {
    return compared.isPresent() && written.isPresent();
  }

  /** Returns whether both concern the same blocks. */
  boolean fits() {
    Command write = second.orElseThrow();
    return first.opcode() == IoCommand.COMPARE
        && write.opcode() == IoCommand.WRITE
        && first.namespace() == write.namespace()
        && first.cdw10And11() == write.cdw10And11()
        && (first.cdw12() & 0xffff) == (write.cdw12() & 0xffff);
  }
}
