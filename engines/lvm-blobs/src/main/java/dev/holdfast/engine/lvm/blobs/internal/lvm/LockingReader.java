package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramResult;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how commands of LVM lock a group, from their output and warnings. */
final class LockingReader {
  private static final Pattern NO_GLOBAL_LOCK =
      Pattern.compile("(?i)skipping global lock|without shared global lock");

  private final LvmCommands commands;
  private final String group;

  LockingReader(LvmCommands commands, String group) {
    this.commands = commands;
    this.group = group;
  }

  GroupLocking read() throws StorageException {
    String[] arguments = {
      "--reportformat=json",
      "--units=b",
      "--nosuffix",
      "--options=" + LvmReports.GROUP_FIELDS,
      group
    };
    ProgramResult result = commands.result("vgs", arguments);
    boolean globalLock = !NO_GLOBAL_LOCK.matcher(result.errors()).find();
    String settings = settings();
    OptionalInt hostId = number(settings, "host_id");
    return new GroupLocking(
        lockType(result),
        number(settings, "use_lvmlockd").orElse(0) == 1,
        hostId.orElse(0) > 0 ? hostId : OptionalInt.empty(),
        globalLock);
  }

  private String lockType(ProgramResult result) throws StorageException {
    Matcher refused =
        Pattern.compile("VG " + group + " with lock type (\\w+) that requires lvmlockd")
            .matcher(result.errors());
    if (refused.find()) {
      return refused.group(1);
    }
    return result.exitCode() == 0
        ? LvmReports.groups(result.output()).stream()
            .map(GroupReport::lockType)
            .findFirst()
            .orElse("none")
        : new LvmGroup(commands.host(), group).report().lockType();
  }

  /** Returns settings of LVM, a line {@code NAME=NUMBER} each; none when LVM refuses it. */
  private String settings() throws StorageException {
    ProgramResult result =
        commands.result("lvmconfig", "--type=full", "global/use_lvmlockd", "local/host_id");
    return result.exitCode() == 0 ? result.output() : "";
  }

  private static OptionalInt number(String settings, String name) {
    Matcher line = Pattern.compile("(?m)^\\s*" + name + "=(\\d{1,9})$").matcher(settings);
    return line.find() ? OptionalInt.of(Integer.parseInt(line.group(1))) : OptionalInt.empty();
  }

  OptionalLong offset(String volumeUuid) throws StorageException {
    Map<String, String> arguments =
        LvmReports.lockArguments(
            commands.run(
                "volume group " + group,
                "lvs",
                "--reportformat=json",
                "--options=" + LvmReports.LOCK_FIELDS,
                group));
    String text = arguments.get(volumeUuid);
    if (text == null) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "volume group " + group + " has no logical volume with the uuid " + volumeUuid);
    }
    Matcher place = Pattern.compile("1\\.\\d+\\.\\d+:(\\d{1,18})").matcher(text);
    return place.matches() ? OptionalLong.of(Long.parseLong(place.group(1))) : OptionalLong.empty();
  }
}
