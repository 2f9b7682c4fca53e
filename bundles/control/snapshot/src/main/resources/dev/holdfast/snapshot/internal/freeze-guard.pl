# Freezes filesystems and thaws them again: when its input ends, which is also when its parent dies,
# or when the time is up. A process of its own: one that waits in the kernel for a filesystem to be
# frozen cannot be killed and keeps all its files open, sockets of the data path below included.
#
#   freeze LOCK SECONDS NUMBER DIRECTORY...   freezing, frozen, then one of held, late, thawed
#   thaw   LOCK 0       NUMBER DIRECTORY...   thawed or untouched
#
# or "failed" and why; then nothing is frozen by it. A device's number may come with several
# directories. The lock is held to the very end, so that who thaws after a crash comes later.
use strict;
use warnings;
use Fcntl qw(:DEFAULT :flock);
use constant { FIFREEZE => 0xC0045877, FITHAW => 0xC0045878, EBUSY => 16, EINVAL => 22, TRIES => 60 };

my ($task, $lock_file, $limit, @mounts) = @ARGV;
$SIG{$_} = 'IGNORE' for qw(HUP INT TERM PIPE);
$| = 1;

sub finish { print "@_\n"; exit }

# Whether the input ended, or does so within some seconds.
sub released {
    my $bits = '';
    vec($bits, fileno(STDIN), 1) = 1;
    return select($bits, undef, undef, $_[0]) > 0;
}

sub number {
    my $device = (stat $_[0])[0];
    my $major = ($device >> 8 & 0xfff) | ($device >> 32 & ~0xfff);
    return $major . ':' . (($device & 0xff) | ($device >> 12 & ~0xff));
}

# Returns how many were still frozen.
sub thaw {
    my $count = 0;
    for my $filesystem (@_) {
        for (1 .. TRIES) {
            if (ioctl($filesystem, FITHAW, 0)) { $count++; last }
            last if $! == EINVAL;
            sleep 1;
        }
    }
    return $count;
}

sysopen(my $lock, $lock_file, O_RDWR | O_CREAT, 0600) or finish("failed $lock_file: $!");
flock($lock, $task eq 'thaw' ? LOCK_EX : LOCK_EX | LOCK_NB)
    or finish('failed an earlier freeze has not ended yet');

my (%opened, %where, %missing);
while (my ($number, $directory) = splice(@mounts, 0, 2)) {
    next if $opened{$number};
    if (!sysopen(my $filesystem, $directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK)) {
        $missing{$number} = "$directory: $!";
    } elsif (number($filesystem) ne $number) {
        $missing{$number} = "$directory: something else is mounted over it";
    } else {
        $opened{$number} = $filesystem;
        $where{$number} = $directory;
        delete $missing{$number};
    }
}
finish('failed', values %missing) if %missing;
finish(thaw(values %opened) ? 'thawed' : 'untouched') if $task eq 'thaw';

# Writers continue during this, so that they wait the shorter afterwards.
system('sync', '-f', $_) for values %where;
print "freezing\n";
finish('failed it took too long to write back what was in memory') if released(0);
my @frozen;
for my $number (sort keys %opened) {
    if (!ioctl($opened{$number}, FIFREEZE, 0)) {
        my $why = $! == EBUSY ? 'it is frozen already, by another program' : "$!";
        thaw(@frozen);
        finish("failed $where{$number}: $why");
    }
    push @frozen, $opened{$number};
}
print "frozen\n";
my $in_time = released($limit);
my $held = thaw(@frozen) == @frozen;
finish(!$in_time ? 'late' : $held ? 'held' : 'thawed');
