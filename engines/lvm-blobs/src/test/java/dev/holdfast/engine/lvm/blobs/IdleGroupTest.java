package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.RecordingHost;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How often the space of a group is looked at while its volumes are used, and while they are not.
 */
class IdleGroupTest {
  private static final Blob A = new Blob(SimulatedLvm.GROUP, "a");
  private static final Pattern COUNTERS = Pattern.compile("/sys/dev/block/\\d+:\\d+/stat");
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final long SIZE = 64L << 20;

  private final SimulatedLvm lvm = new SimulatedLvm();
  private final RecordingHost host = new RecordingHost(lvm);
  private final AtomicLong nanoTime = new AtomicLong();
  private Optional<String> counters = Optional.of("0 0 0");
  private final BlobManager blobs =
      new LocalBlobManager(
          new GroupReports(new CountingHost(), nanoTime::get, Duration.ofSeconds(4)),
          new MemoryRecords(),
          "node-1");

  /** The kernel of a host, which counts the requests to each device. */
  private final class CountingHost implements Host {
    @Override
    public Optional<Path> find(String program) throws StorageException {
      return host.find(program);
    }

    @Override
    public ProgramResult run(ProgramCall call) throws StorageException {
      return host.run(call);
    }

    @Override
    public HostProcess start(List<String> command) throws StorageException {
      return host.start(command);
    }

    @Override
    public HostFiles files() {
      return (HostFiles)
          Proxy.newProxyInstance(
              HostFiles.class.getClassLoader(),
              new Class<?>[] {HostFiles.class},
              (proxy, method, arguments) ->
                  COUNTERS.matcher(arguments[0].toString()).matches()
                      ? counters.map(text -> text.getBytes(StandardCharsets.US_ASCII))
                      : method.invoke(host.files(), arguments));
    }
  }

  @BeforeEach
  void attach() throws Exception {
    blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    var unused = blobs.attach(A, "c");
    assertThat(looks(2)).isEqualTo(2);
  }

  /** Returns how many programs so many looks run. */
  private int looks(int number) throws Exception {
    host.clear();
    for (int n = 0; n < number; n++) {
      var unused = blobs.keepSpace(SimulatedLvm.GROUP);
      nanoTime.addAndGet(PERIOD.toNanos());
    }
    return host.commands().size();
  }

  @Test
  void groupWithoutRequestsIsLookedAtEveryThirtySeconds() throws Exception {
    assertThat(looks(13)).isZero();
    assertThat(looks(15)).isEqualTo(1);
  }

  @Test
  void requestLetsTheNextLookFindAFilledPool() throws Exception {
    assertThat(looks(3)).isZero();
    lvm.fill("hfp-a", SIZE, 1L << 20);
    counters = Optional.of("1 8 64");
    assertThat(blobs.keepSpace(SimulatedLvm.GROUP))
        .singleElement()
        .satisfies(space -> assertThat(space.usedBytes()).isEqualTo(SIZE));
  }

  @Test
  void ownChangeLetsTheNextLookRunLvm() throws Exception {
    assertThat(looks(3)).isZero();
    blobs.createCopy(new Blob(SimulatedLvm.GROUP, "copy"), A);
    assertThat(looks(1)).isEqualTo(1);
  }

  @Test
  void hostWithoutCountersIsLookedAtEachTime() throws Exception {
    counters = Optional.empty();
    assertThat(looks(5)).isEqualTo(5);
  }

  /** Room may come by a command of an administrator. */
  @Test
  void groupWithoutRoomIsLookedAtEachTime() throws Exception {
    blobs.createEmpty(
        new Blob(SimulatedLvm.GROUP, "filler"),
        new BlobOptions(BlobMode.LINEAR, BlobWipe.UNSAFE_FAST),
        blobs.group(SimulatedLvm.GROUP).freeBytes());
    blobs.createCopy(new Blob(SimulatedLvm.GROUP, "copy"), A);
    lvm.fill("hfp-a", SIZE, 1L << 20);
    assertThat(blobs.keepSpace(SimulatedLvm.GROUP).get(0).shortage()).isTrue();
    int programs = looks(3);
    assertThat(programs).isGreaterThanOrEqualTo(3);
  }
}
