package dev.holdfast.frontend.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.testkit.FailingBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** libnbd, QEMU and fio as clients. They are required: a missing one fails the test. */
final class NbdPeerTest {
  private static final int SIZE = 16 << 20;
  private static final String PYTHON = "/usr/bin/python3";

  @TempDir private Path directory;
  private final MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
  private NbdServerFixture server;
  private URI endpoint;

  @BeforeEach
  void start() throws Exception {
    server = NbdServerFixture.start();
    endpoint = server.publish("vol-1", device);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void nbdinfoSeesEveryAbility() throws Exception {
    String info = Peer.run("nbdinfo", "--json", endpoint.toString());
    assertThat(info)
        .contains("\"export-size\": " + SIZE)
        .contains("\"structured\": true")
        .contains("\"base:allocation\"")
        .contains("\"can_cache\": true")
        .contains("\"can_df\": true")
        .contains("\"can_fast_zero\": true")
        .contains("\"can_flush\": true")
        .contains("\"can_fua\": true")
        .contains("\"can_multi_conn\": true")
        .contains("\"can_trim\": true")
        .contains("\"can_zero\": true")
        .contains("\"is_read_only\": false")
        .contains("\"block_size_preferred\": 4096")
        .contains("\"block_size_maximum\": 33554432");
  }

  @Test
  void nbdinfoListsExports() throws Exception {
    URI second = server.publish("vol-2", new MemoryBlockDevice(4096));
    String list =
        Peer.run("nbdinfo", "--list", "nbd://" + second.getHost() + ":" + second.getPort());
    assertThat(list).contains("export=\"vol-1\"").contains("export=\"vol-2\"");
  }

  @Test
  void nbdcopyBringsBytesInAndOut() throws Exception {
    byte[] content = new byte[SIZE];
    new Random(1).nextBytes(content);
    Arrays.fill(content, 4 << 20, 12 << 20, (byte) 0);
    Path source = directory.resolve("source");
    Path target = directory.resolve("target");
    Files.write(source, content);
    Peer.run("nbdcopy", source.toString(), endpoint.toString());
    Peer.run("nbdcopy", endpoint.toString(), target.toString());
    assertThat(Files.mismatch(source, target)).isEqualTo(-1);
    assertThat(Peer.run("nbdinfo", "--map", endpoint.toString())).contains("hole,zero");
  }

  @Test
  void nbdshMeetsErrorsFlagsAndAsynchronousRequests() throws Exception {
    FailingBlockDevice failing = new FailingBlockDevice(device);
    URI other = server.publish("failing", failing);
    Path script = directory.resolve("test.py");
    Files.writeString(
        script,
        """
        import sys, errno, nbd
        h = nbd.NBD()
        h.add_meta_context("base:allocation")
        h.connect_uri(sys.argv[1])
        h.pwrite(b"x" * 4096, 4096, nbd.CMD_FLAG_FUA)
        assert h.pread(4096, 4096) == b"x" * 4096
        def expect(number, call):
            try:
                call()
            except nbd.Error as e:
                assert e.errnum == number, e
            else:
                raise AssertionError("no error")
        h.set_strict_mode(0)
        size = h.get_size()
        expect(errno.ENOSPC, lambda: h.pwrite(b"y" * 2, size - 1))
        expect(errno.EINVAL, lambda: h.pread(2, size - 1))
        expect(errno.EINVAL, lambda: h.pread(0, 4096))
        h.pwrite(b"", 4096)
        expect(errno.ENOTSUP,
               lambda: h.zero(4096, 0, nbd.CMD_FLAG_FAST_ZERO | nbd.CMD_FLAG_NO_HOLE))
        extents = []
        h.block_status(size, 0, lambda c, o, e, err: extents.extend(e))
        assert extents == [4096, 3, 4096, 0, size - 8192, 3], extents
        h.cache(8192, 0)
        h.trim(4096, 4096)
        assert h.pread(4096, 4096) == bytes(4096)
        buffers = [nbd.Buffer(65536) for i in range(32)]
        cookies = [h.aio_pread(b, i * 65536) for i, b in enumerate(buffers)]
        for cookie in cookies:
            while not h.aio_command_completed(cookie):
                h.poll(-1)
        h.shutdown()
        f = nbd.NBD()
        f.connect_uri(sys.argv[2])
        expect(errno.EIO, lambda: f.pread(1048576, 0))
        expect(errno.EIO, lambda: f.flush())
        f.shutdown()
        """);
    failing.fail(Optional.of(ErrorCode.IO));
    Peer.run(PYTHON, script.toString(), endpoint.toString(), other.toString());
  }

  @Test
  void qemuWritesReadsAndMaps() throws Exception {
    String output =
        Peer.run(
            "qemu-io",
            "-f",
            "raw",
            "-c",
            "write -P 5 1M 64k",
            "-c",
            "write -f -P 6 2M 4k",
            "-c",
            "read -P 5 1M 64k",
            "-c",
            "read -P 6 2M 4k",
            "-c",
            "write -z -u 1M 64k",
            "-c",
            "read -P 0 1M 64k",
            "-c",
            "discard 2M 4k",
            "-c",
            "flush",
            "-c",
            "read -P 0 0 16M",
            endpoint.toString());
    assertThat(output).doesNotContain("Pattern verification failed").doesNotContain("error");
    assertThat(device.durableWrites()).isPositive();
    assertThat(device.flushes()).isPositive();
  }

  @Test
  void qemuImgConvertsAndCompares() throws Exception {
    Path source = directory.resolve("source.raw");
    byte[] content = new byte[SIZE];
    new Random(2).nextBytes(content);
    Files.write(source, content);
    String target = endpoint.toString();
    Peer.run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", source.toString(), target);
    assertThat(Peer.run("qemu-img", "compare", "-f", "raw", source.toString(), target))
        .contains("identical");
  }

  @Test
  void fioVerifiesWhatItWrote() throws Exception {
    String output =
        Peer.run(
            "fio",
            "--name=verify",
            "--ioengine=nbd",
            "--uri=" + endpoint,
            "--rw=randwrite",
            "--bsrange=512-64k",
            "--iodepth=32",
            "--size=16m",
            "--verify=crc32c",
            "--do_verify=1",
            "--end_fsync=1",
            "--randseed=11");
    assertThat(output).contains("err= 0");
  }
}
