package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real server, a real device, a real filesystem; as root. */
@Tag("slow")
class MountsTest extends ServedImageTest {
  private static final Optional<String> ANY = Optional.empty();

  private MountRecord mount() throws Exception {
    return mounts().mount(MountRequest.of("demo", directory), PATIENT);
  }

  @AfterEach
  void leaveTheHostAsItWas() throws Exception {
    if (records().read("demo").isPresent()) {
      mounts().unmount("demo", Waiting.none());
    }
    server.destroyForcibly().waitFor();
  }

  private void assertNothingIsLeft() throws Exception {
    assertThat(MountTable.read().at(directory)).isEmpty();
    assertThat(mounts().list()).isEmpty();
    for (Initiator initiator : initiators()) {
      assertThat(initiator.connections()).isEmpty();
    }
  }

  private boolean isDetached() throws Exception {
    return volumes.get("demo").status().currentNodeID().isEmpty();
  }

  @Test
  void anEmptyVolumeGetsAFilesystemThatKeepsItsFiles() throws Exception {
    MountRecord mounted = mount();
    assertThat(mounted.filesystem()).isEqualTo("ext4");
    Files.writeString(directory.resolve("hello"), "world");
    mounts().unmount("demo", PATIENT);
    assertThat(directory.resolve("hello")).doesNotExist();
    assertThat(isDetached()).isTrue();
    assertNothingIsLeft();

    mount();
    assertThat(directory.resolve("hello")).hasContent("world");
  }

  @Test
  void filesystemDamagedByACrashIsRepairedBeforeTheMount() throws Exception {
    mount();
    Files.writeString(directory.resolve("broken"), "its inode will be gone");
    mounts().unmount("demo", PATIENT);
    onTheImage("debugfs", "-w", "-R", "clri /broken");
    onTheImage("debugfs", "-w", "-R", "set_super_value state 2");

    mount();
    assertThat(directory.resolve("broken")).doesNotExist();
    mounts().unmount("demo", PATIENT);
    onTheImage("e2fsck", "-f", "-n");
  }

  private void onTheImage(String program, String... words) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(HostProgram.require(program, "e2fsprogs").toString());
    all.addAll(List.of(words));
    all.add(image.toString());
    HostProgram.check(Duration.ofSeconds(30), all);
  }

  @Test
  void backupIsMountedReadOnlyWithoutAnyWrite() throws Exception {
    mount();
    Files.writeString(directory.resolve("hello"), "world");
    mounts().unmount("demo", PATIENT);
    byte[] before = digest();
    Backup backup = store.create(Backup.of("b1", BackupSpec.EMPTY.withVolume("demo")));
    store.updateStatus(
        backup.withStatus(
            backup
                .status()
                .withState(BackupState.COMPLETED)
                .withEndpoint("nbd+unix:///?socket=" + folder.resolve("nbd.sock"))));

    MountRecord mounted = mounts().mountBackup("b1", directory, PATIENT);
    assertThat(mounted.isOfBackup()).isTrue();
    assertThat(store.get(Backup.KIND, "b1").orElseThrow().spec().exported()).isTrue();
    assertThat(directory.resolve("hello")).hasContent("world");
    assertThatThrownBy(() -> Files.writeString(directory.resolve("more"), "x"))
        .hasMessageContaining("Read-only");
    mounts().unmount(directory.toString(), PATIENT);

    assertThat(store.get(Backup.KIND, "b1").orElseThrow().spec().exported()).isFalse();
    assertThat(digest()).isEqualTo(before);
    assertNothingIsLeft();
  }

  private byte[] digest() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream bytes = Files.newInputStream(image)) {
      byte[] part = new byte[1 << 20];
      for (int read = bytes.read(part); read >= 0; read = bytes.read(part)) {
        digest.update(part, 0, read);
      }
    }
    return digest.digest();
  }

  @Test
  void requestedXfsIsMadeAndRequiredLater() throws Exception {
    MountRecord mounted =
        mounts().mount(MountRequest.of("demo", directory).with(Filesystem.XFS), PATIENT);
    assertThat(mounted.filesystem()).isEqualTo("xfs");
    assertThat(MountTable.read().at(directory).orElseThrow().filesystem()).isEqualTo("xfs");
    mounts().unmount("demo", PATIENT);

    assertFails(
            ErrorCode.INVALID,
            () -> mounts().mount(MountRequest.of("demo", directory).with(Filesystem.EXT4), PATIENT))
        .hasMessageContaining("holds xfs already, not ext4");
  }

  @Test
  void unknownDataIsLeftAsItIs() throws Exception {
    byte[] data =
        "a foreign database".repeat(1000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.seek(SIZE - data.length);
      file.write(data);
    }

    assertFails(ErrorCode.CONFLICT, this::mount)
        .hasMessageStartingWith(
            "volume demo cannot be mounted: it holds data that is not a known filesystem, it is"
                + " left as it is: ")
        .hasMessageContaining("'holdfast volume endpoint demo'")
        .hasMessageNotContaining("/dev/");

    assertNothingIsLeft();
    byte[] after = new byte[data.length];
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r")) {
      file.seek(SIZE - data.length);
      file.readFully(after);
    }
    assertThat(after).isEqualTo(data);
  }

  @Test
  void aPartitionTableIsLeftAsItIs() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.seek(446);
      file.write(HexFormat.of().parseHex("0000000083000000" + "0008000000100000"));
      file.seek(510);
      file.write(HexFormat.of().parseHex("55aa"));
    }
    assertFails(ErrorCode.CONFLICT, this::mount)
        .hasMessageContaining("holds a partition table (dos)");
    assertNothingIsLeft();
  }

  @Test
  void unknownContentIsLeftAsItIs() throws Exception {
    HostProgram.check(
        Duration.ofSeconds(30),
        List.of(HostProgram.require("mkswap", "util-linux").toString(), image.toString()));
    assertFails(ErrorCode.CONFLICT, this::mount)
        .hasMessageContaining("holds swap and no filesystem");
    assertNothingIsLeft();
  }

  @Test
  void mountingTwiceIsHarmless() throws Exception {
    MountRecord first = mount();
    assertThat(mount()).isEqualTo(first);
    assertThat(MountTable.read().of(first.device())).hasSize(1);
  }

  @Test
  void mountingElsewhereIsRefused() throws Exception {
    mount();
    assertFails(
            ErrorCode.BUSY,
            () -> mounts().mount(MountRequest.of("demo", folder.resolve("other")), PATIENT))
        .hasMessage("volume demo is mounted on " + directory + " already");
  }

  @Test
  void anAttachmentThatWasThereBeforeStays() throws Exception {
    attachments.attach("demo", ANY, PATIENT);
    mount();
    mounts().unmount("demo", PATIENT);
    assertThat(isDetached()).isFalse();
  }

  @Test
  void unmountingByDirectoryWorks() throws Exception {
    mount();
    mounts().unmount(directory.toString(), PATIENT);
    assertNothingIsLeft();
  }

  @Test
  void aFilesystemInUseStaysMounted() throws Exception {
    mount();
    Process user = new ProcessBuilder("sleep", "600").directory(directory.toFile()).start();
    try {
      assertFails(ErrorCode.BUSY, () -> mounts().unmount("demo", PATIENT))
          .hasMessageContaining(directory + " is in use");
      assertThat(MountTable.read().at(directory)).isPresent();
      assertThat(isDetached()).isFalse();
    } finally {
      user.destroyForcibly().waitFor();
    }
  }

  @Test
  void aCrashBeforeTheDeviceWasRecordedIsRepairedByMountingAgain() throws Exception {
    MountRecord whole = mount();
    HostProgram.check(Duration.ofSeconds(30), List.of("umount", directory.toString()));
    forgetTheDevice(whole);

    MountRecord again = mount();

    assertThat(again).isEqualTo(whole);
    assertThat(MountTable.read().at(directory)).isPresent();
  }

  @Test
  void aCrashBeforeTheDeviceWasRecordedIsCleanedUpByUnmounting() throws Exception {
    MountRecord whole = mount();
    HostProgram.check(Duration.ofSeconds(30), List.of("umount", directory.toString()));
    forgetTheDevice(whole);

    mounts().unmount("demo", PATIENT);

    assertNothingIsLeft();
    assertThat(isDetached()).isTrue();
  }

  private void forgetTheDevice(MountRecord mounted) throws Exception {
    records()
        .write(
            "demo",
            new com.fasterxml.jackson.databind.ObjectMapper()
                .writeValueAsString(mounted.on("", "")));
  }

  private MountRecord mountPersistently() throws Exception {
    return mounts().mount(MountRequest.of("demo", directory).persistently(), PATIENT);
  }

  /** Leaves the state of a mount when the machine starts again: the records only. */
  private void reboot(MountRecord mounted) throws Exception {
    HostProgram.check(Duration.ofSeconds(30), List.of("umount", directory.toString()));
    Path run = connections().directory().toAbsolutePath().resolve("run");
    List<ProcessHandle> processes =
        ProcessHandle.allProcesses()
            .filter(p -> p.info().commandLine().orElse("").contains(run.toString()))
            .toList();
    assertThat(processes).isNotEmpty();
    if (mounted.device().startsWith("/dev/loop")) {
      HostProgram.check(Duration.ofSeconds(30), List.of("losetup", "--detach", mounted.device()));
    }
    for (ProcessHandle process : processes) {
      process.destroyForcibly();
      process.onExit().get(10, TimeUnit.SECONDS);
    }
    Path fuse = run.resolve("demo/fuse");
    while (MountTable.read().at(fuse).isPresent()) {
      HostProgram.check(Duration.ofSeconds(30), List.of("umount", "-l", fuse.toString()));
    }
    HostProgram.check(Duration.ofSeconds(30), List.of("rm", "-rf", run.toString()));
  }

  private List<MountRecord> restored() throws Exception {
    List<StorageException> failures = new ArrayList<>();
    List<MountRecord> mounted = mounts().restore(failures::add, PATIENT);
    assertThat(failures).isEmpty();
    return mounted;
  }

  @Test
  void persistentMountIsMountedAgainAfterAReboot() throws Exception {
    MountRecord before = mountPersistently();
    Files.writeString(directory.resolve("hello"), "world");
    reboot(before);
    assertThat(directory.resolve("hello")).doesNotExist();

    List<MountRecord> after = restored();

    assertThat(after).singleElement().satisfies(m -> assertThat(m.persistent()).isTrue());
    assertThat(directory.resolve("hello")).hasContent("world");
    assertThat(restored()).isEqualTo(after);
    assertThat(MountTable.read().of(after.get(0).device())).hasSize(1);
  }

  @Test
  void temporaryMountIsNotRestored() throws Exception {
    MountRecord before = mount();
    reboot(before);
    assertThat(restored()).isEmpty();
    assertThat(MountTable.read().at(directory)).isEmpty();
    mount();
    mountPersistently();
    assertThat(restored()).hasSize(1);
  }

  @Test
  void suspendedMountIsRestoredWithItsAttachment() throws Exception {
    mountPersistently();
    Files.writeString(directory.resolve("hello"), "world");
    List<StorageException> failures = new ArrayList<>();

    assertThat(mounts().suspend(failures::add)).hasSize(1);

    assertThat(failures).isEmpty();
    assertThat(MountTable.read().at(directory)).isEmpty();
    for (Initiator initiator : initiators()) {
      assertThat(initiator.connections()).isEmpty();
    }
    assertThat(isDetached()).isFalse();
    restored();
    assertThat(directory.resolve("hello")).hasContent("world");
    mounts().unmount("demo", PATIENT);
    assertThat(isDetached()).isTrue();
    assertThat(restored()).isEmpty();
  }

  @Test
  void restoringMakesNoFilesystemAndContinuesWithTheOthers() throws Exception {
    MountRecord before = mountPersistently();
    reboot(before);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(0);
      file.setLength(SIZE);
    }
    records()
        .write(
            "absent",
            """
            {"volume":"absent","directory":"%s","device":"","filesystem":"ext4","ticket":"api",
             "ownsTicket":true,"node":"","persistent":true}
            """
                .formatted(folder.resolve("absent")));
    List<StorageException> failures = new ArrayList<>();

    assertThat(mounts().restore(failures::add, PATIENT)).isEmpty();

    assertThat(failures).hasSize(2);
    assertThat(failures.get(0)).hasMessageContaining("absent does not exist");
    assertThat(failures.get(1)).hasMessageContaining("had a filesystem and holds none now");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r")) {
      byte[] start = new byte[1 << 20];
      file.readFully(start);
      assertThat(start).containsOnly(0);
    }
    assertThat(mounts().list()).hasSize(2);
    records().delete("absent");
  }

  @Test
  void recordsOfTheFirstReleaseAreRead() throws Exception {
    records()
        .write(
            "old",
            """
            {"volume":"old","directory":"/mnt/old","device":"/dev/loop9","filesystem":"ext4",
             "ticket":"api","ownsTicket":true}
            """);
    assertThat(mounts().list())
        .containsExactly(
            new MountRecord(
                "old", "/mnt/old", "/dev/loop9", "ext4", "api", true, "", false, "", ""));
    records().delete("old");
  }

  @Test
  void errorOfAnUnknownMountListsTheMounts() throws Exception {
    mount();
    assertFails(ErrorCode.NOT_FOUND, () -> mounts().unmount("other", PATIENT))
        .hasMessage("other is not mounted by Holdfast; mounted volumes: demo");
  }

  @Test
  void aMountedVolumeMustBeUnmountedFirst() throws Exception {
    mount();
    assertFails(ErrorCode.BUSY, () -> mounts().requireUnmounted("demo"))
        .hasMessage("volume demo is mounted on " + directory + ": first 'holdfast umount demo'");
  }

  @Test
  void mountOfAMissingVolumeLeavesNoDirectory() throws Exception {
    assertFails(
        ErrorCode.NOT_FOUND, () -> mounts().mount(MountRequest.of("nothing", directory), PATIENT));
    assertNothingIsLeft();
  }

  @Test
  void hostWithoutInitiatorReportsTheMissingProgram() {
    Initiator lame = new LameInitiator();
    Mounts mounts = new Mounts(new LocalHost(), store, List.of(lame), records(), Optional.empty());
    assertFails(
            ErrorCode.UNSUPPORTED, () -> mounts.mount(MountRequest.of("demo", directory), PATIENT))
        .hasMessageEndingWith("(lame: no legs: apt-get install legs)");
  }

  /** An initiator that this host cannot use. */
  private static final class LameInitiator implements Initiator {
    @Override
    public String name() {
      return "lame";
    }

    @Override
    public int preference() {
      return 1;
    }

    @Override
    public boolean understands(java.net.URI endpoint) {
      return true;
    }

    @Override
    public Optional<String> obstacle() {
      return Optional.of("no legs: apt-get install legs");
    }

    @Override
    public InitiatorConnection connect(String volume, java.net.URI endpoint) {
      throw new AssertionError("it must not be used");
    }

    @Override
    public void disconnect(String volume) {}

    @Override
    public Optional<InitiatorConnection> find(String volume) {
      return Optional.empty();
    }

    @Override
    public List<InitiatorConnection> connections() {
      return List.of();
    }
  }
}
