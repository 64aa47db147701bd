# What a jail begins as, see JailEntry. Words before "--" are what it prepares, the words after it become the program.
#   group=FILE       joins the control group of this cgroup.procs
#   id=N             of the host's user and group that it becomes; without it, it stays the worker's
#   own=PATH         what is given to that id first, with all below it
#   limit=NAME=N     a limit of the user namespace, of /proc/sys/user; the kernel counts there what it counts for a user
#   rlimit=NUMBER=N  a limit of processes, where the present one is not lower
#   socket=DIRECTORY where the worker takes the listeners of a network
#   network=ID       a network, whose listeners are given to the worker under this name
#   host=IP:PORT     a port of loopback that is the worker's machine's
# Only what perl itself is made of: no module is loaded.
use strict;

# All of it takes milliseconds; what hangs ends by SIGALRM, and the launch with it.
my $LONGEST = 15;
alarm $LONGEST;

my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($SYS_UNSHARE, $SYS_SENDMSG) = $arm ? (97, 211) : (272, 46);
my ($SYS_SETRESUID, $SYS_SETRESGID, $SYS_PRCTL, $SYS_PRLIMIT) = $arm ? (147, 149, 167, 261) : (117, 119, 157, 302);
my ($NEW_USER, $NEW_NET) = (0x10000000, 0x40000000);
my ($IP, $IP6, $NETLINK) = (2, 10, 16);
my ($STREAM, $DATAGRAM, $RAW) = (1, 2, 3);
my ($LOOPBACK, $LOOPBACK6) = ("\x7f\0\0\1", "\0" x 15 . "\1");

# Addresses that stand for none (RFC 7600, RFC 6666): those of the network, so that programs see that they have one.
my ($OWN, $OWN6) = (pack('C4', 192, 0, 0, 8), pack('H32', '01000000000000000000000000000008'));

# Ports below 1024, which no program in the jail can take.
my ($OUT_PORT, $NAME_PORT) = (1, 53);

sub fail {
    print STDERR "The jail cannot be entered: $_[0]: $!\n";
    exit 125;
}

sub put {
    my ($file, $text) = @_;
    open(my $out, '>', $file) or fail("open $file");
    defined(syswrite($out, $text)) or fail("write $file");
    close($out) or fail("write $file");
}

# --- The words ---------------------------------------------------------------------------------------------------------------

my (%one, @limits, @rlimits, @own, @host);
while (@ARGV and (my $word = shift @ARGV) ne '--') {
    my ($name, $value) = split /=/, $word, 2;
    if ($name eq 'limit') { push @limits, $value }
    elsif ($name eq 'rlimit') { push @rlimits, $value }
    elsif ($name eq 'own') { push @own, $value }
    elsif ($name eq 'host') { push @host, $value }
    else { $one{$name} = $value }
}

# --- Namespaces --------------------------------------------------------------------------------------------------------------

# The first to be killed for want of memory. Raising it needs no right.
if (open(my $score, '>', '/proc/self/oom_score_adj')) {
    syswrite($score, '1000');
    close($score);
}
# Behind the worker for processors, too; the same holds.
setpriority(0, 0, 10) if getpriority(0, 0) < 10;
put($one{group}, '0') if defined $one{group};

# A user namespace in which this process is root, so that it may set up what belongs to it.
sub enter_user_namespace {
    my ($more, $user, $group) = @_;
    syscall($SYS_UNSHARE, $NEW_USER | $more) == 0 or fail('a user namespace');
    put('/proc/self/setgroups', 'deny');
    put('/proc/self/uid_map', "0 $user 1");
    put('/proc/self/gid_map', "0 $group 1");
}

# --- Identity ----------------------------------------------------------------------------------------------------------------

# Gives away what is the worker's, never what is another id's. A large home takes its time; the worker waits no longer than it
# waits for any start. What was interrupted is done again: a directory goes after all that is in it.
sub give_away {
    my ($path, $id) = @_;
    my $owner = (lstat $path)[4];
    defined $owner or fail($path);
    return if $owner == $id;
    if ($owner != $>) {
        $! = 1;
        fail("$path is another's, $owner");
    }
    alarm 0;
    local %ENV = ();
    system('/bin/chown', '-RPh', "$id:$id", '--', $path) == 0 or fail("$path cannot be given to $id");
    alarm $LONGEST;
}

sub become {
    my $id = $_[0] + 0;
    $) = "$id $id";
    syscall($SYS_SETRESGID, $id, $id, $id) == 0 or fail("the group $id");
    syscall($SYS_SETRESUID, $id, $id, $id) == 0 or fail("the user $id");
    $< == $id and $> == $id and $( eq "$id $id" and $) eq "$id $id" or fail("the user $id");
    # It may write its own maps (PR_SET_DUMPABLE), which becoming another took away.
    syscall($SYS_PRCTL, 4, 1, 0, 0, 0) == 0 or fail('its own maps');
}

# Never raises one.
sub limit_process {
    my ($number, $value) = ($_[0] + 0, $_[1] + 0);
    my $present = "\0" x 16;
    syscall($SYS_PRLIMIT, 0, $number, 0, $present) == 0 or fail("limit $number");
    my $most = (unpack 'QQ', $present)[1];
    my $lower = pack 'QQ', ($value < $most ? $value : $most) x 2;
    syscall($SYS_PRLIMIT, 0, $number, $lower, 0) == 0 or fail("limit $number");
}

# --- Netlink -----------------------------------------------------------------------------------------------------------------

sub attribute {
    my ($type, $value) = @_;
    my $length = 4 + length $value;
    return pack('SS', $length, $type) . $value . "\0" x (-$length & 3);
}
sub nested { return attribute($_[0] | 0x8000, join '', @_[1 .. $#_]) }
sub text { return attribute($_[0], "$_[1]\0") }
sub number { return attribute($_[0], pack('N', $_[1])) }

my $sequence = 0;
sub message {
    my ($type, $flags, $body) = @_;
    return pack('LSSLL', 16 + length $body, $type, $flags | 1, ++$sequence, 0) . $body;
}

# Sends messages at once, and reads as many answers as are asked for, each of which must be "done".
sub ask {
    my ($netlink, $answers, $what, @messages) = @_;
    send($netlink, join('', @messages), 0) or fail($what);
    while ($answers > 0) {
        defined recv($netlink, my $all, 1 << 16, 0) or fail($what);
        while (length $all >= 20) {
            my ($length, $type) = unpack('LS', $all);
            my $error = unpack('l', substr($all, 16, 4));
            if ($type == 2 and $error != 0) {
                $! = -$error;
                fail($what);
            }
            $answers-- if $type == 2;
            $all = substr($all, $length + (-$length & 3));
        }
    }
}

my ($ACK, $CREATE, $APPEND) = (4, 0x400, 0x800);

# All addresses are at the loopback device: there is no other, so no packet leaves.
sub set_up_loopback {
    socket(my $netlink, $NETLINK, $RAW, 0) or fail('netlink');
    my @messages = (
        message(16, $ACK, pack('CxSlLL', 0, 0, 1, 1, 1)),
        message(20, $ACK | $CREATE, pack('CCCCL', $IP, 32, 0, 0, 1) . attribute(2, $OWN) . attribute(1, $OWN)),
        message(24, $ACK | $CREATE, pack('CCCCCCCCL', $IP, 0, 0, 0, 254, 3, 253, 1, 0) . attribute(4, pack('L', 1)) . attribute(7, $OWN)),
    );
    ask($netlink, scalar @messages, 'its loopback', @messages);
    return unless -e '/proc/sys/net/ipv6';
    @messages = (
        message(20, $ACK | $CREATE, pack('CCCCL', $IP6, 128, 2, 0, 1) . attribute(1, $OWN6)),
        message(24, $ACK | $CREATE, pack('CCCCCCCCL', $IP6, 0, 0, 0, 254, 3, 0, 1, 0) . attribute(4, pack('L', 1))),
    );
    ask($netlink, scalar @messages, 'its loopback for IPv6', @messages);
}

# --- The kernel's filter, nf_tables ------------------------------------------------------------------------------------------

sub expression { return nested(1, text(1, $_[0]), nested(2, @_[1 .. $#_])) }
sub load { return expression('payload', number(1, 1), number(2, $_[0]), number(3, $_[1]), number(4, $_[2])) }
sub same { return expression('cmp', number(1, 1), number(2, 0), nested(3, attribute(1, $_[0]))) }
sub tcp { return expression('meta', number(1, 1), number(2, 16)) . same("\6") }
sub verdict { return expression('immediate', number(1, 0), nested(2, nested(2, number(1, $_[0])))) }
sub accepted { return verdict(1) }
sub dropped { return verdict(0) }

# More connections in a second than the worker takes: the program's system sends such a packet again by itself.
sub too_often { return expression('limit', attribute(1, pack('Q>', 200)), attribute(2, pack('Q>', 1)), number(3, 400), number(4, 0), number(5, 1)) }

sub redirected {
    return expression('immediate', number(1, 1), nested(2, attribute(1, pack('n', $OUT_PORT))))
        . expression('redir', number(1, 1));
}

# Where an address is in a packet: in the network's header, at, of so many bytes.
sub to { return load(1, $_[0], length $_[1]) . same($_[1]) }
sub from_port { return load(2, 0, 2) . same(pack('n', $_[0])) }
sub to_port { return load(2, 2, 2) . same(pack('n', $_[0])) }

# A table's messages: TCP goes to the worker, what is for this network itself stays, all else is refused at once. The kernel keeps
# track of what goes to the worker only: what programs say to themselves would take up as much of its memory as they like.
sub table {
    my ($family, $at, $loopback, $own, @host) = @_;
    my $head = pack('CCn', $family, 0, 0);
    my $chain = sub {
        my ($name, $type, $priority) = @_;
        return message(0xa03, $ACK | $CREATE,
            $head . text(1, 'perigee') . text(3, $name) . nested(4, number(1, 3), number(2, $priority & 0xffffffff)) . text(7, $type));
    };
    my $rule = sub {
        my ($name, @expressions) = @_;
        return message(0xa06, $ACK | $CREATE | $APPEND, $head . text(1, 'perigee') . text(2, $name) . nested(4, @expressions));
    };
    return (
        message(0xa00, $ACK | $CREATE, $head . text(1, 'perigee')),
        $chain->('first', 'filter', -300),
        (map { $rule->('first', to($at, $_->[0]), tcp(), to_port($_->[1]), accepted()) } @host),
        $rule->('first', tcp(), from_port($OUT_PORT), accepted()),
        $rule->('first', to($at, $loopback), expression('notrack')),
        $rule->('first', to($at, $own), expression('notrack')),
        $chain->('out', 'nat', -100),
        (map {
            my @match = (to($at, $_->[0]), tcp(), to_port($_->[1]));
            ($rule->('out', @match, too_often(), dropped()), $rule->('out', @match, redirected()));
        } @host),
        $rule->('out', to($at, $loopback), accepted()),
        $rule->('out', to($at, $own), accepted()),
        $rule->('out', tcp(), too_often(), dropped()),
        $rule->('out', tcp(), redirected()),
        $chain->('rest', 'filter', 0),
        $rule->('rest', to($at, $loopback), accepted()),
        $rule->('rest', to($at, $own), accepted()),
        # As if there were no such port, which ICMP of both families says differently.
        $rule->('rest', expression('reject', number(1, 0), attribute(2, pack('C', $family == $IP ? 3 : 4)))),
    );
}

sub set_up_filter {
    my (@host4, @host6);
    for (@host) {
        if (/^\[::1\]:(\d+)$/) { push @host6, [$LOOPBACK6, $1] }
        elsif (/^(\d+)\.(\d+)\.(\d+)\.(\d+):(\d+)$/) { push @host4, [pack('C4', $1, $2, $3, $4), $5] }
        else { $! = 22; fail("host=$_") }
    }
    my @messages = table($IP, 16, "\x7f", $OWN, @host4);
    push @messages, table($IP6, 24, $LOOPBACK6, $OWN6, @host6) if -e '/proc/sys/net/ipv6';
    socket(my $netlink, $NETLINK, $RAW, 12) or fail('nf_tables');
    my $batch = pack('CCn', 0, 0, 10);
    ask($netlink, scalar @messages, 'nf_tables of the kernel', message(16, 0, $batch), @messages, message(17, 0, $batch));
}

# What the kernel keeps of a connection that is not read: least, usual and most bytes. Where it may not be said the kernel's own
# limits hold, which are megabytes.
sub set_up_buffers {
    my ($file, $bytes) = @_;
    if (open(my $out, '>', "/proc/sys/net/ipv4/$file")) {
        syswrite($out, $bytes);
        close($out);
    }
}

# --- The listeners -----------------------------------------------------------------------------------------------------------

sub bound {
    my ($kind, $port, $family) = @_;
    socket(my $socket, $family, $kind, 0) or fail('a socket');
    bind($socket, $family == $IP ? pack('Sna4x8', $IP, $port, $LOOPBACK) : pack('SnLa16L', $IP6, $port, 0, $LOOPBACK6, 0))
        or fail("port $port");
    if ($kind == $STREAM) {
        listen($socket, 128) or fail("port $port");
    }
    return $socket;
}

# One byte would do: the name, and the descriptors beside it (SCM_RIGHTS).
sub give {
    my ($worker, $name, @sockets) = @_;
    my $descriptors = pack('i*', map { fileno $_ } @sockets);
    my $control = pack('Qii', 16 + length $descriptors, 1, 1) . $descriptors;
    $control .= "\0" x (-length($control) & 7);
    my $vector = pack('PQ', $name, length $name);
    my $message = pack('QLxxxxPQPQixxxx', 0, 0, $vector, 1, $control, length $control, 0);
    syscall($SYS_SENDMSG, fileno $worker, $message, 0) == length $name or fail('the worker does not take its network');
}

# Connected to while this process is still as its worker started it.
my $worker;
if (defined $one{network}) {
    chdir $one{socket} or fail($one{socket});
    socket($worker, 1, $STREAM, 0) or fail('a socket');
    connect($worker, pack('Sa*', 1, "network\0")) or fail('the worker does not listen');
    chdir '/';
}
if (defined $one{id}) {
    give_away($_, $one{id}) for @own;
    become($one{id});
}
if (@limits or defined $worker) {
    my ($group) = split / /, $);
    enter_user_namespace(defined $worker ? $NEW_NET : 0, $>, $group);
    for (@limits) {
        my ($name, $value) = split /=/, $_, 2;
        put("/proc/sys/user/$name", $value) if -e "/proc/sys/user/$name";
    }
    # After the namespace: of the host's user all jails together may have what the worker may.
    limit_process(split /=/, $_, 2) for @rlimits;
}
if (defined $worker) {
    set_up_loopback();
    set_up_filter();
    set_up_buffers('tcp_rmem', '4096 131072 262144');
    set_up_buffers('tcp_wmem', '4096 65536 262144');
    my @sockets = (bound($STREAM, $OUT_PORT, $IP), bound($DATAGRAM, $NAME_PORT, $IP));
    push @sockets, bound($STREAM, $OUT_PORT, $IP6) if -e '/proc/sys/net/ipv6';
    give($worker, $one{network}, @sockets);
    # It answers when it serves them.
    sysread($worker, my $answer, 1) or fail('the worker refuses its network');
}
# It dies with its worker, whichever program makes the jail (PR_SET_PDEATHSIG); becoming another would take that away.
syscall($SYS_PRCTL, 1, 9, 0, 0, 0) == 0 or fail('an end with the worker');
delete $ENV{PERL_BADLANG};
alarm 0;
exec { $ARGV[0] } @ARGV or fail($ARGV[0]);
