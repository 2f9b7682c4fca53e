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
    return new GroupLocking(
        lockType(result), number("global/use_lvmlockd").orElse(0) == 1, hostId(), globalLock);
  }

  private String lockType(ProgramResult result) throws StorageException {
    Matcher refused =
        Pattern.compile("VG " + group + " with lock type (\\w+) that requires lvmlockd")
            .matcher(result.errors());
    return refused.find()
        ? refused.group(1)
        : new LvmGroup(commands.host(), group).report().lockType();
  }

  private OptionalInt hostId() throws StorageException {
    OptionalInt id = number("local/host_id");
    return id.isPresent() && id.getAsInt() > 0 ? id : OptionalInt.empty();
  }

  /** Reads a setting of LVM: {@code NAME=NUMBER}. */
  private OptionalInt number(String setting) throws StorageException {
    ProgramResult result = commands.result("lvmconfig", "--type=full", setting);
    String text = result.output().substring(result.output().indexOf('=') + 1);
    return result.exitCode() == 0 && text.matches("\\d{1,9}")
        ? OptionalInt.of(Integer.parseInt(text))
        : OptionalInt.empty();
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
