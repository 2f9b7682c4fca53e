package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands of I/O queues that the kit does not test. */
final class NvmeIoTest extends NvmeTestBase {
  private static final int FUSED_FIRST = 1;
  private static final int FUSED_SECOND = 2;

  @Test
  void rangesAndLengthsAreChecked() throws Exception {
    HostQueue io = io();
    int last = SIZE / BLOCK;
    assertThat(get(io.send(Entry.io(0x02, last - 1, 2), 2 * BLOCK)).status()).isEqualTo(0x80);
    assertThat(get(io.send(Entry.io(0x02, -1, 1), BLOCK)).status()).isEqualTo(0x80);
    assertThat(get(io.send(Entry.io(0x01, last, 1), random(BLOCK, 1))).status()).isEqualTo(0x80);
    assertThat(get(io.send(Entry.io(0x02, 0, 4096), 2 << 20)).status()).as("MDTS").isEqualTo(2);
    assertThat(get(io.send(Entry.io(0x01, 0, 2), random(BLOCK, 1))).status()).isEqualTo(0x0f);
    assertThat(get(io.send(Entry.io(0x02, 0, 2), BLOCK)).status()).isEqualTo(0x0f);
    assertThat(get(io.send(Entry.io(0x02, 0, 1).namespace(2), BLOCK)).status()).isEqualTo(0x0b);
    assertThat(get(io.send(Entry.io(0x02, 0, 1).or(12, 1 << 29), BLOCK)).status()).isEqualTo(2);
    assertThat(get(io.send(Entry.io(0x99, 0, 1), 0)).status()).isEqualTo(1);
    Outcome refused = get(io.send(Entry.io(0x02, last, 1), BLOCK));
    assertThat(refused.retry()).isFalse();
    assertThat(get(io.send(Entry.io(0x02, last - 1, 1), BLOCK)).data()).hasSize(BLOCK);
  }

  @Test
  void compareChecksTheStoredBytes() throws Exception {
    HostQueue io = io();
    byte[] large = random(40 * BLOCK, 1);
    get(io.send(Entry.io(0x01, 8, 40), large)).orThrow();
    assertThat(get(io.send(Entry.io(0x05, 8, 40), large)).status()).isZero();
    byte[] small = Arrays.copyOf(large, 2 * BLOCK);
    assertThat(get(io.send(Entry.io(0x05, 8, 2), small)).status()).isZero();
    small[BLOCK + 1]++;
    assertThat(get(io.send(Entry.io(0x05, 8, 2), small)).status()).isEqualTo(0x285);
  }

  @Test
  void fusedCompareAndWriteHappensAsOne() throws Exception {
    HostQueue io = io();
    byte[] first = random(2 * BLOCK, 1);
    byte[] second = random(2 * BLOCK, 2);
    get(io.send(Entry.io(0x01, 4, 2), first)).orThrow();
    assertThat(fused(io, first, second)).containsExactly(0, 0);
    assertThat(fused(io, first, second)).containsExactly(0x285, 0x09);
    assertThat(get(io.send(Entry.io(0x02, 4, 2), 2 * BLOCK)).data()).isEqualTo(second);
  }

  private List<Integer> fused(HostQueue io, byte[] expected, byte[] written) throws Exception {
    CompletableFuture<Outcome> compare =
        io.send(Entry.io(0x05, 4, expected.length / BLOCK).flags(FUSED_FIRST), expected);
    CompletableFuture<Outcome> write =
        io.send(Entry.io(0x01, 4, written.length / BLOCK).flags(FUSED_SECOND), written);
    return List.of(get(compare).status(), get(write).status());
  }

  @Test
  void dataOfFusedCommandsMayBeRequested() throws Exception {
    Host careful = Host.of(new HostOptions(3, true, 3, 1024, 700));
    HostQueue io = io(careful, admin(careful, 0));
    byte[] content = random(8 * BLOCK, 3);
    assertThat(fused(io, new byte[8 * BLOCK], content)).containsExactly(0, 0);
    assertThat(fused(io, content, random(8 * BLOCK, 4))).containsExactly(0, 0);
    assertThat(fused(io, content, content)).containsExactly(0x285, 0x09);
  }

  @Test
  void fusedCommandWithoutTheOtherIsRefused() throws Exception {
    HostQueue io = io();
    byte[] zeroes = new byte[BLOCK];
    assertThat(get(io.send(Entry.io(0x01, 0, 1).flags(FUSED_SECOND), zeroes)).status())
        .isEqualTo(0x0a);
    var lonely = io.send(Entry.io(0x05, 0, 1).flags(FUSED_FIRST), zeroes);
    get(io.send(Entry.io(0x02, 0, 1), BLOCK)).orThrow();
    assertThat(get(lonely).status()).isEqualTo(0x0a);
    assertThat(fused(io, new byte[64 * BLOCK], new byte[64 * BLOCK])).contains(0x14);
    assertThat(fused(io, zeroes, new byte[2 * BLOCK])).containsExactly(0x09, 0x02);
    assertThat(fused(io, zeroes, zeroes)).containsExactly(0, 0);
  }

  @Test
  void onlyOneOfManyCompetingHostsWins() throws Exception {
    List<HostQueue> hosts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      hosts.add(io());
    }
    for (int round = 0; round < 50; round++) {
      byte[] expected = round == 0 ? new byte[BLOCK] : random(BLOCK, round - 1);
      List<CompletableFuture<Outcome>> writes = new ArrayList<>();
      for (HostQueue one : hosts) {
        var unused = one.send(Entry.io(0x05, 7, 1).flags(FUSED_FIRST), expected);
        writes.add(one.send(Entry.io(0x01, 7, 1).flags(FUSED_SECOND), random(BLOCK, round)));
      }
      int won = 0;
      for (CompletableFuture<Outcome> write : writes) {
        won += get(write).status() == 0 ? 1 : 0;
      }
      assertThat(won).isEqualTo(1);
    }
  }

  @Test
  void deallocatedRangesReadAsZeroes() throws Exception {
    HostQueue io = io();
    get(io.send(Entry.io(0x01, 0, 64), random(64 * BLOCK, 1))).orThrow();
    ByteBuffer ranges = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    ranges.putInt(4, 8).putLong(8, 8).putInt(20, 16).putLong(24, 32);
    Entry hint = new Entry(0x09).namespace(1).dword(10, 1).dword(11, 2);
    get(io.send(hint, ranges.array())).orThrow();
    assertThat(get(io.send(Entry.io(0x02, 8, 8), 8 * BLOCK)).data())
        .isNotEqualTo(new byte[8 * BLOCK]);
    Entry deallocate = new Entry(0x09).namespace(1).dword(10, 1).dword(11, 4);
    get(io.send(deallocate, ranges.array())).orThrow();
    byte[] expected = random(64 * BLOCK, 1);
    Arrays.fill(expected, 8 * BLOCK, 16 * BLOCK, (byte) 0);
    Arrays.fill(expected, 32 * BLOCK, 48 * BLOCK, (byte) 0);
    assertThat(get(io.send(Entry.io(0x02, 0, 64), 64 * BLOCK)).data()).isEqualTo(expected);
    ranges.putLong(24, SIZE / BLOCK);
    assertThat(get(io.send(deallocate, ranges.array())).status()).isEqualTo(0x80);
    assertThat(get(io.send(deallocate, new byte[16])).status()).isEqualTo(0x0f);
  }

  @Test
  void emptyRangesAndTransfersAreAnswered() throws Exception {
    HostQueue io = io();
    byte[] content = random(16 * BLOCK, 1);
    get(io.send(Entry.io(0x01, 0, 16), content)).orThrow();
    Entry deallocate = new Entry(0x09).namespace(1).dword(10, 1).dword(11, 4);
    ByteBuffer ranges = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    ranges.putLong(8, 8).putLong(24, SIZE / BLOCK);
    get(io.send(deallocate, ranges.array())).orThrow();
    assertThat(get(io.send(deallocate, new byte[0])).status()).isEqualTo(0x0f);
    for (int opcode : new int[] {0x01, 0x02, 0x05}) {
      assertThat(get(io.send(Entry.io(opcode, 0, 1), 0)).status())
          .as("opcode %d without a buffer", opcode)
          .isEqualTo(0x0f);
    }
    assertThat(get(io.send(Entry.io(0x02, 0, 16), 16 * BLOCK)).data()).isEqualTo(content);
  }

  @Test
  void verifiesAndWritesZeroes() throws Exception {
    HostQueue io = io();
    get(io.send(Entry.io(0x01, 0, 8), random(8 * BLOCK, 1))).orThrow();
    get(io.send(Entry.io(0x0c, 0, 8), 0)).orThrow();
    assertThat(get(io.send(Entry.io(0x0c, 0, 4096), 0)).status()).as("too much").isEqualTo(2);
    get(io.send(Entry.io(0x08, 0, 4).or(12, 1 << 25), 0)).orThrow();
    get(io.send(Entry.io(0x08, 4, 4), 0)).orThrow();
    assertThat(get(io.send(Entry.io(0x02, 0, 8), 8 * BLOCK)).data()).isEqualTo(new byte[8 * BLOCK]);
  }

  @Test
  void severalQueuesOfOneControllerServeOneVolume() throws Exception {
    Host.Admin admin = admin();
    List<HostQueue> queues = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      queues.add(opened(host.io(endpoint, subsystem, admin.controller(), i)));
    }
    List<CompletableFuture<Outcome>> writes = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      writes.add(queues.get(i % 8).send(Entry.io(0x01, i, 1), random(BLOCK, i)));
    }
    for (CompletableFuture<Outcome> write : writes) {
      get(write).orThrow();
    }
    byte[] all = get(queues.get(0).send(Entry.io(0x02, 0, 256), 256 * BLOCK)).data();
    for (int i = 0; i < 256; i++) {
      assertThat(Arrays.copyOfRange(all, i * BLOCK, (i + 1) * BLOCK)).isEqualTo(random(BLOCK, i));
    }
  }

  @Test
  void headOfTheQueueIsReportedToHostsWithFlowControl() throws Exception {
    Host careful = Host.of(HostOptions.CAREFUL);
    HostQueue io = io(careful, admin(careful, 0));
    for (int i = 2; i < 300; i++) {
      Outcome outcome = get(io.send(new Entry(0x00).namespace(1), 0)).orThrow();
      assertThat(outcome.head()).isEqualTo(i % 128);
    }
  }
}
