package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.error.ErrorCode;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

/** Creation, reading and deletion of bases, for engines that declare {@code BASES}. */
abstract class BaseTests extends BaseLab {
  BaseTests(EngineLab lab) {
    super(lab);
  }

  private static BitSet regions(int... numbers) {
    BitSet regions = new BitSet();
    for (int number : numbers) {
      regions.set(number);
    }
    return regions;
  }

  @Test
  final void baseIsAbsentThenUnfinishedThenSealed() throws Exception {
    assertThat(bases().inspectBase(base(1))).as("a base that was never made").isEmpty();
    assertThat(bases().bases(disk(1))).as("bases of an empty disk").isEmpty();
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      BaseInfo unfinished = bases().inspectBase(base(1)).orElseThrow();
      assertThat(unfinished.sealed()).as("an unfinished base is sealed").isFalse();
      assertThat(unfinished.sizeBytes()).as("size of an unfinished base").isEqualTo(BASE_SIZE);
      assertThat(unfinished.contentChecksum()).as("checksum of an unfinished base").isEmpty();
      fill(writer);
      writer.seal(CHECKSUM);
      writer.seal(CHECKSUM);
    }
    BaseInfo sealed = bases().inspectBase(base(1)).orElseThrow();
    assertThat(sealed.sealed()).as("a sealed base is sealed").isTrue();
    assertThat(sealed.altered()).as("a base that was just sealed is altered").isFalse();
    assertThat(sealed.sizeBytes()).isEqualTo(BASE_SIZE);
    assertThat(sealed.contentChecksum()).isEqualTo(CHECKSUM);
    assertThat(sealed.storedBytes())
        .as("stored bytes of a base with holes")
        .isBetween(4L * LENGTH, BASE_SIZE / 2);
    assertThat(bases().bases(disk(1)))
        .as("bases of the disk")
        .containsExactly(base(1).withContentChecksum(""));
  }

  @Test
  final void sealedBaseReadsAsItWasWritten() throws Exception {
    BaseLocation base = sealed(1);
    try (BlockDevice device = bases().openBase(base)) {
      assertThat(device.size()).isEqualTo(BASE_SIZE);
      check(new DeviceIo(device), baseContent((int) BASE_SIZE));
    }
  }

  @Test
  final void sealedBaseReportsItsHoles() throws Exception {
    BaseLocation base = sealed(1);
    BitSet data = new BitSet();
    long[] end = {0};
    try (BlockDevice device = bases().openBase(base)) {
      device.extents(
          0,
          BASE_SIZE,
          (offset, length, kind) -> {
            assertThat(offset).as("extents without gaps").isEqualTo(end[0]);
            end[0] += length;
            data.set(
                (int) (offset / LENGTH),
                (int) ((offset + length + LENGTH - 1) / LENGTH),
                kind == ExtentKind.DATA);
            return true;
          },
          failure -> assertThat((Throwable) failure).isNull());
    }
    assertThat(end[0]).as("end of the extents").isEqualTo(BASE_SIZE);
    assertThat(data).as("MiB with data").isEqualTo(regions(0, 16, 32, 39));
  }

  @Test
  final void sealedBaseRefusesChanges() throws Exception {
    BaseLocation base = sealed(1);
    try (BlockDevice device = bases().openBase(base)) {
      DeviceIo io = new DeviceIo(device);
      assertThat(failureOf(() -> io.write(0, bytes(4096)))).isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(failureOf(() -> io.trim(0, 4096))).isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(failureOf(() -> io.zero(0, 4096, 0))).isEqualTo(ErrorCode.UNSUPPORTED);
      assertContent(io.read(0, LENGTH), piece);
    }
  }

  @Test
  final void sealedBaseIsNotMadeAgain() throws Exception {
    BaseLocation base = sealed(1);
    assertThat(failureOf(() -> bases().createBase(base, BASE_SIZE))).isEqualTo(ErrorCode.CONFLICT);
  }

  @Test
  final void baseHasOneWriter() throws Exception {
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      assertThat(failureOf(() -> bases().createBase(base(1), BASE_SIZE))).isEqualTo(ErrorCode.BUSY);
      assertThat(failureOf(() -> bases().deleteBase(base(1)))).isEqualTo(ErrorCode.BUSY);
      assertThat(writer.written()).as("regions of a new base").isEqualTo(new BitSet());
    }
    bases().createBase(base(1), BASE_SIZE).close();
  }

  @Test
  final void regionCountsWhenAllOfItWasWrittenAndFlushed() throws Exception {
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      DeviceIo io = new DeviceIo(writer.device());
      io.write(REGION + 100, bytes(LENGTH));
      io.zero(REGION + 100 + LENGTH, REGION - 100 - LENGTH, 0);
      io.flush();
      assertThat(writer.written()).as("100 bytes are missing").isEqualTo(new BitSet());
      io.write(REGION, bytes(100));
      assertThat(writer.written()).as("not flushed").isEqualTo(new BitSet());
      io.flush();
      assertThat(writer.written()).isEqualTo(regions(1));
      io.trim(2 * REGION, BASE_SIZE - 2 * REGION);
      io.flush();
      assertThat(writer.written()).as("the last, shorter one").isEqualTo(regions(1, 2));
      assertThat(failureOf(() -> writer.seal(CHECKSUM)))
          .as("sealing without the first region")
          .isEqualTo(ErrorCode.INVALID);
      io.zero(0, REGION, 0);
      writer.seal(CHECKSUM);
      assertThat(failureOf(() -> io.write(0, bytes(4096)))).isEqualTo(ErrorCode.UNSUPPORTED);
    }
  }

  @Test
  final void flushedRegionsSurviveAKill() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    BaseWriter killed = bases().createBase(base(1), BASE_SIZE);
    DeviceIo io = new DeviceIo(killed.device());
    io.zero(0, REGION, 0);
    io.write(0, piece);
    io.flush();
    io.zero(REGION, REGION, 0);
    restartUncleanly();
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      assertThat(writer.written()).isEqualTo(regions(0));
      DeviceIo again = new DeviceIo(writer.device());
      assertContent(again.read(0, LENGTH), piece);
      again.zero(REGION, BASE_SIZE - REGION, 0);
      writer.seal(CHECKSUM);
    }
    restartUncleanly();
    assertThat(bases().inspectBase(base(1)).orElseThrow().sealed())
        .as("a base that was sealed before a kill")
        .isTrue();
  }

  @Test
  final void unfinishedBaseOfAnotherSizeStartsAgain() throws Exception {
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      fill(writer);
    }
    try (BaseWriter writer = bases().createBase(base(1), REGION)) {
      assertThat(writer.written()).isEqualTo(new BitSet());
      assertThat(writer.device().size()).isEqualTo(REGION);
      assertContent(new DeviceIo(writer.device()).read(0, LENGTH), new byte[LENGTH]);
    }
  }

  @Test
  final void impossibleSizesAndChecksumsAreRefused() throws Exception {
    for (long size : new long[] {0, -4096, 4095, BASE_SIZE + 1}) {
      assertThat(failureOf(() -> bases().createBase(base(1), size)))
          .as("size %d", size)
          .isEqualTo(ErrorCode.INVALID);
    }
    try (BaseWriter writer = bases().createBase(base(1), REGION)) {
      new DeviceIo(writer.device()).zero(0, REGION, 0);
      assertThat(failureOf(() -> writer.seal(""))).isEqualTo(ErrorCode.INVALID);
    }
  }

  @Test
  final void unfinishedBaseIsNotRead() throws Exception {
    assertThat(failureOf(() -> bases().openBase(base(1)))).isEqualTo(ErrorCode.NOT_FOUND);
    try (BaseWriter writer = bases().createBase(base(1), BASE_SIZE)) {
      fill(writer);
      assertThat(failureOf(() -> bases().openBase(base(1)))).isEqualTo(ErrorCode.NOT_FOUND);
    }
  }

  @Test
  final void anotherContentIsNotTakenForIt() throws Exception {
    BaseLocation other = sealed(1).withContentChecksum("sha512:of-another");
    assertThat(failureOf(() -> bases().openBase(other))).isEqualTo(ErrorCode.INVALID);
    assertThat(failureOf(() -> bases().confirmBase(other))).isEqualTo(ErrorCode.INVALID);
    assertThat(failureOf(() -> on(other, location(1)))).isEqualTo(ErrorCode.INVALID);
    assertThat(engine.inspectReplica(location(1))).as("a replica that was refused").isEmpty();
    bases().confirmBase(base(1));
  }

  @Test
  final void deletedBaseIsGoneAndCanBeMadeAgain() throws Exception {
    BaseLocation base = sealed(1);
    bases().deleteBase(base);
    assertThat(bases().inspectBase(base)).as("a deleted base").isEmpty();
    assertThat(bases().bases(disk(1))).isEmpty();
    bases().deleteBase(base);
    bases().createBase(base, BASE_SIZE).close();
    bases().deleteBase(base);
    assertThat(bases().inspectBase(base)).as("an unfinished base that was deleted").isEmpty();
  }

  @Test
  final void baseThatIsReadIsNotDeleted() throws Exception {
    BaseLocation base = sealed(1);
    try (BlockDevice device = bases().openBase(base)) {
      assertThat(failureOf(() -> bases().deleteBase(base))).isEqualTo(ErrorCode.BUSY);
      assertContent(new DeviceIo(device).read(0, LENGTH), piece);
    }
    bases().deleteBase(base);
  }

  @Test
  final void baseOfAReplicaIsNotDeletedWhetherItIsOpenOrNot() throws Exception {
    BaseLocation base = sealed(1);
    on(base, location(1));
    assertThat(failureOf(() -> bases().deleteBase(base)))
        .as("deleting the base of a new replica")
        .isEqualTo(ErrorCode.BUSY);
    if (has(EngineCapability.DURABLE)) {
      restartUncleanly();
      assertThat(failureOf(() -> bases().deleteBase(base)))
          .as("deleting the base of a replica, by an engine that has not seen it made")
          .isEqualTo(ErrorCode.BUSY);
    }
    engine.deleteReplica(location(1));
    bases().deleteBase(base);
  }

  @Test
  final void replicaNeedsASealedBaseThatFits() throws Exception {
    assertThat(failureOf(() -> on(base(1), location(1)))).isEqualTo(ErrorCode.NOT_FOUND);
    bases().createBase(base(1), BASE_SIZE).close();
    assertThat(failureOf(() -> on(base(1), location(1)))).isEqualTo(ErrorCode.NOT_FOUND);
    BaseLocation base = sealed(1);
    assertThat(
            failureOf(
                () ->
                    engine.provisionReplica(
                        request(engine, location(1), BASE_SIZE - 4096, new BaseContent(base)))))
        .as("a volume smaller than the base")
        .isEqualTo(ErrorCode.INVALID);
    assertThat(engine.inspectReplica(location(1))).as("a replica that was refused").isEmpty();
  }

  @Test
  final void replicaStaysOnItsBase() throws Exception {
    BaseLocation base = sealed(1);
    BaseLocation other = sealed(base(1, "other"));
    on(base, location(1));
    on(base, location(1));
    assertThat(failureOf(() -> on(other, location(1))))
        .as("the same place on another base")
        .isEqualTo(ErrorCode.INVALID);
    assertThat(
            failureOf(
                () ->
                    engine.provisionReplica(
                        request(engine, location(1), SIZE, new EmptyContent()))))
        .as("the same place on no base")
        .isEqualTo(ErrorCode.INVALID);
    bases().deleteBase(other);
  }
}
