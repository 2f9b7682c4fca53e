package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import java.util.ArrayList;
import java.util.List;

/** Dataset Management: deallocates ranges; ignores the hints. */
final class DatasetManagement {
  private static final int DEALLOCATE = 1 << 2;
  private static final int RANGE = 16;

  private final BlockDevice device;

  DatasetManagement(BlockDevice device) {
    this.device = device;
  }

  /** Returns the ranges to deallocate, in the order of the command. */
  List<BlockRange> ranges(Command command, CommandData data, long blocks) throws RefusedException {
    int count = (command.cdw10() & 0xff) + 1;
    IoQueue.requireData(data, count * RANGE);
    List<BlockRange> ranges = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int at = data.at() + i * RANGE;
      long length = Le.u32(data.buffer(), at + 4);
      long first = Le.i64(data.buffer(), at + 8);
      BlockRange range = BlockRange.of(first, length, blocks, IoFlags.NONE);
      if ((command.cdw11() & DEALLOCATE) != 0) {
        ranges.add(range);
      }
    }
    return ranges;
  }

  void deallocate(List<BlockRange> ranges, Completion completion) {
    if (ranges.isEmpty()) {
      completion.completed(null);
      return;
    }
    Completion each =
        ranges.size() == 1 ? completion : new CompletionGroup(ranges.size(), completion);
    for (BlockRange range : ranges) {
      device.trim(range.offset(), range.length(), range.flags(), each);
    }
  }
}
