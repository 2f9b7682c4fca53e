package dev.holdfast.snapshot.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Record of frozen filesystems on this host: for each volume the boot id and the numbers of the
 * devices, written before the freeze.
 */
final class FreezeJournal {
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"");

  private final HostState state;

  FreezeJournal(HostState state) {
    this.state = state;
  }

  List<String> volumes() throws StorageException {
    return state.volumes();
  }

  void write(String volume, Collection<String> numbers) throws StorageException {
    state.write(volume, "[\"" + boot() + "\",\"" + String.join("\",\"", numbers) + "\"]");
  }

  void delete(String volume) throws StorageException {
    state.delete(volume);
  }

  /** Returns the devices of a record; none after a reboot, because a reboot ends every freeze. */
  List<String> devices(String volume) throws StorageException {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(state.read(volume).orElse(""));
    while (matcher.find()) {
      words.add(matcher.group(1));
    }
    return words.isEmpty() || !words.get(0).equals(boot())
        ? List.of()
        : List.copyOf(words.subList(1, words.size()));
  }

  private static String boot() {
    return BlockDevices.attribute(BOOT).orElse("");
  }
}
