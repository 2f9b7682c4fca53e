package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Any input of a host ends in responses or a closed connection. */
final class NvmeFuzzTest {
  private static final int SIZE = 256 << 10;
  private static final Integer[] ADMIN = {0x02, 0x06, 0x08, 0x09, 0x0a, 0x0c, 0x18, 0x7f, 0xff};
  private static final Integer[] IO = {
    0x00, 0x01, 0x02, 0x05, 0x08, 0x09, 0x0c, 0x0d, 0x0e, 0x11, 0x15, 0x7f, 0xff
  };

  @Property(tries = 1500)
  void sessionSurvivesAnyStream(
      @ForAll("io") byte[] stream, @ForAll @IntRange(min = 1, max = 400) int piece) {
    play(0, stream, piece);
  }

  @Property(tries = 1500)
  void adminQueueSurvivesAnyCommands(
      @ForAll("admin") byte[] stream, @ForAll @IntRange(min = 1, max = 9000) int piece) {
    play(1, stream, piece);
    play(2, stream, piece);
  }

  @Property(tries = 2000)
  void ioQueueSurvivesAnyCommands(
      @ForAll("io") byte[] stream, @ForAll @IntRange(min = 1, max = 9000) int piece) {
    play(3, stream, piece);
  }

  @Provide
  Arbitrary<byte[]> admin() {
    return streams(Streams.command(ADMIN));
  }

  @Provide
  Arbitrary<byte[]> io() {
    return streams(Arbitraries.oneOf(Streams.command(IO), Streams.command(IO), Streams.answer()));
  }

  private static Arbitrary<byte[]> streams(Arbitrary<byte[]> pdus) {
    Arbitrary<byte[]> valid = pdus.list().ofMaxSize(8).map(Streams::concat);
    Arbitrary<byte[]> garbage = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    return Arbitraries.oneOf(valid, Streams.mutated(valid), garbage);
  }

  /** Plays a stream to a session in one of four stages: new, admin, discovery or I/O. */
  static void play(int phase, byte[] stream, int piece) {
    NvmeofFrontend frontend = new NvmeofFrontend();
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    ExportState texts = ScriptedNvmeConnection.newState();
    ScriptedNvmeConnection admin = new ScriptedNvmeConnection(Streams.EXPORT, device, texts);
    ScriptedNvmeConnection connection = new ScriptedNvmeConnection(Streams.EXPORT, device, texts);
    switch (phase) {
      case 0 -> connection.feed(frontend.open(connection), stream, piece);
      case 1 -> after(frontend, connection, Streams.intoAdmin(Streams.SUBSYSTEM), stream, piece);
      case 2 ->
          after(
              frontend, connection, Streams.intoAdmin(NvmeDiscoveryTest.DISCOVERY), stream, piece);
      default -> {
        var controller = frontend.open(admin);
        byte[] enabled = Streams.intoAdmin(Streams.SUBSYSTEM);
        admin.offer(controller, enabled);
        after(frontend, connection, Streams.intoIo(), stream, piece);
        controller.stop(() -> {});
      }
    }
  }

  private static void after(
      NvmeofFrontend frontend,
      ScriptedNvmeConnection connection,
      byte[] before,
      byte[] then,
      int piece) {
    byte[] whole = Streams.concat(List.of(before, then));
    connection.feed(frontend.open(connection), whole, piece);
  }
}
