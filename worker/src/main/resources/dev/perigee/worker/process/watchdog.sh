# The watchdog of one worker: kills whatever the worker started once the worker is gone or frozen.
# Runs under bash and busybox ash, as: sh -c SCRIPT perigee-watchdog OWNER SECONDS
#   OWNER    what the marks of this worker's processes begin with, "worker:incarnation:"
#   SECONDS  how long it waits for a line
# Standard input is the lease: lines "add SESSION START", "drop SESSION START", "beat". Its end, or no
# line for SECONDS, means that the worker is gone. The end of this script by itself says the same.

trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM
owner=$1
seconds=$2
passes=0

# What is known of a process is in variables with its number in their names, which shells find at once
# however many there are:
#   started_N   when the worker's session N began, while it has it
#   victim_N    the pass in which N was found to be a victim
#   stranger_N  the pass in which the number N was found to be another process's

# Kills the live processes of the worker: those that carry its mark, those in its sessions, and all
# that descend from them. Leaves them in $marked and $victims.
kill_victims() {
    victims=
    for file in $(grep -lsF "PERIGEE_OWNER=$owner" /proc/[0-9]*/environ); do
        pid=${file#/proc/}
        add_victim "${pid%/environ}"
    done
    table=
    for directory in /proc/[0-9]*; do
        { read -r stat <"$directory/stat"; } 2>/dev/null || continue
        pid=${directory#/proc/}
        # After the name, which may contain anything, come state, parent, group, session; START is the 20th.
        set -- ${stat##*) }
        case $1 in Z | X) continue ;; esac
        table="$table$pid:$2:$4 "
        eval "started=\${started_$pid-}"
        if [ -n "$started" ] && [ "$started" != "${20}" ]; then
            eval "stranger_$pid=$passes"
        fi
    done
    # The marked ones at once, and with the first process of a jail all in it: to find what descends
    # from them can take long. They are in the table, so that what they leave is found by it.
    marked=$victims
    victims=
    [ -z "$marked" ] || kill -KILL $marked 2>/dev/null
    grown=yes
    while [ -n "$grown" ]; do
        grown=
        for row in $table; do
            pid=${row%%:*}
            parent=${row#*:}
            parent=${parent%:*}
            session=${row##*:}
            eval "own=\${victim_$pid-} from=\${victim_$parent-} started=\${started_$session-} stranger=\${stranger_$session-}"
            [ "$own" != "$passes" ] || continue
            if [ "$from" = "$passes" ] || { [ -n "$started" ] && [ "$stranger" != "$passes" ]; }; then
                add_victim "$pid"
                grown=yes
            fi
        done
    done
    [ -z "$victims" ] || kill -KILL $victims 2>/dev/null
}

add_victim() {
    victims="$victims$1 "
    eval "victim_$1=$passes"
}

if ! echo probe | { read -r -t 1 line; } 2>/dev/null; then
    echo "this shell has no 'read -t': install bash or busybox" >&2
    exit 69
fi
echo ready

while read -r -t "$seconds" verb session start; do
    case $session$start in *[!0-9]*) continue ;; esac
    case $verb in
    add) eval "started_$session=$start" ;;
    drop)
        eval "started=\${started_$session-}"
        [ "$started" != "$start" ] || unset "started_$session"
        ;;
    esac
done

# A process that executes another program at the moment of a look shows no mark: one look that finds
# nobody is not enough.
quiet=0
while [ "$quiet" -lt 3 ] && [ "$passes" -lt 300 ]; do
    kill_victims
    if [ -z "$marked$victims" ]; then
        quiet=$((quiet + 1))
    else
        quiet=0
    fi
    sleep 0.05
    passes=$((passes + 1))
done
exit 0
